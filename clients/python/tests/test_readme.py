"""
Executes the examples of the documents and compares what they print with their comments. Tabs of other pages are executed
by test/system/documents.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

import pytest

ROOT = Path(__file__).parents[3]
DOCUMENTS = ["clients/python/README.md", "docs/clients.md"]


def examples() -> List[Tuple[str, str]]:
    found: List[Tuple[str, str]] = []
    for document in DOCUMENTS:
        text = (ROOT / document).read_text()
        for block in re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text[: block.start()].count("\n") + 1
            found.append((f"{document}:{line}", block[1]))
    return found


def test_the_documents_have_examples() -> None:
    assert {name.partition(":")[0] for name, _ in examples()} == set(DOCUMENTS)


@pytest.mark.parametrize("name,source", examples(), ids=[name for name, _ in examples()])
def test_an_example_prints_what_its_comments_say(name: str, source: str, url: str) -> None:
    program = source.replace("http://localhost:8080/svc", url)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stderr, done.returncode) == ("", 0)
    comments = [part for text in re.findall(r"print\(.*\)  # (.*)$", source, re.MULTILINE) for part in text.split(", then ")]
    assert done.stdout.splitlines() == comments
