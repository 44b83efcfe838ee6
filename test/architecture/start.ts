/** Finds modules that a service loads at startup although its first responses do not need them. */
import { type Complaint, resolveImport, type SourceFile } from './rules.ts';

/** Code that is loaded on demand, and what needs it. */
const ON_DEMAND: ReadonlyArray<readonly [pattern: RegExp, neededBy: string]> = [
  [/^src\/cli\//, 'subcommands'],
  [/^(?:src\/mcp\/|@modelcontextprotocol\/)/, 'language models'],
  [/^src\/documentation\//, 'help, the OpenAPI document and the page at /'],
  [/^src\/sql\/(?:binding|functions\/functions)\b/, 'statements'],
  [/^src\/engines\/embedded\/(?:sql\/statement|system-views\/system-views|dispatch\/(?:local|writer)-)/, 'statements'],
  [/^(?:src\/service\/telemetry\/|@opentelemetry\/)/, 'traces, logs and metrics for a collector'],
  [/^src\/(?:engines\/cluster\/|wiring\/(?:cluster-|peers\.ts$))/, 'the cluster engine'],
  [/^(?:src\/engines\/embedded\/backup\/continuous\/s3-|aws4fetch$)/, 'object stores'],
  [/^node:(?:zlib|stream|fs\/promises|http|net|child_process|tty|url|util)$/, 'compression, tools and arguments'],
];

/** Reports modules of {@link ON_DEMAND} that the entry imports, directly or through others. */
export function checkStart(files: readonly SourceFile[], entry: string): Complaint[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const transpiler = new Bun.Transpiler({ loader: 'ts' });
  const complaints: Complaint[] = [];
  const importers = new Map([[entry, '']]);
  for (const [path] of importers) {
    const found = ON_DEMAND.find(([pattern]) => pattern.test(path));
    if (found !== undefined) {
      complaints.push(`${importers.get(path)}:1: loads ${path} at the start; load it on demand, for ${found[1]}`);
      continue;
    }
    // The transpiler removes type-only imports, which load nothing.
    for (const { kind, path: target } of transpiler.scanImports(byPath.get(path)?.text ?? '')) {
      if (kind !== 'import-statement') continue;
      const imported = target.startsWith('.') ? resolveImport(path, target) : target;
      if (!importers.has(imported)) importers.set(imported, path);
    }
  }
  return complaints;
}
