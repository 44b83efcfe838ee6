"""Sends commands with Python's requests: query string, form, JSON body, session. Argument: the endpoint."""
import sys

import requests

url = sys.argv[1]
text = 'é€😀 + & = % "quoted"'


def command(answer):
    answer.raise_for_status()
    envelope = answer.json()
    assert envelope['successStatus'] == 0, envelope
    return envelope['response']


with requests.Session() as session:
    assert command(session.get(url, params={'cmd': 'put', 'key': 'python', 'val': text})) is True
    assert command(session.post(url, data={'cmd': 'get', 'key': 'python'})) == text
    assert command(session.post(url, json={'cmd': 'put', 'key': 'long', 'keyType': 'string', 'val': 2**60, 'valueType': 'long'})) is True
    assert command(session.get(url, params={'cmd': 'get', 'key': 'long'})) == 2**60
    refused = session.get(url, params={'cmd': 'put', 'key': 'python'}).json()
    assert refused['successStatus'] == 1 and 'val' in refused['error'], refused
print('done')
