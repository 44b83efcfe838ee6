/** Parses what follows the arguments of a call: FILTER and OVER with its window. */
import type { ArgumentParser } from './argument-parser.ts';
import type { CallExpression, FrameBound, WindowFrame, WindowSpecification } from './ast.ts';
import type { TokenReader } from './token-reader.ts';

/** Parses FILTER (WHERE ...) and OVER (...) after a call. */
export function parseCallEnd(parser: ArgumentParser, call: CallExpression): CallExpression {
  const { reader } = parser;
  let complete: CallExpression = call;
  if (reader.is('FILTER') && reader.isAhead(1, '(')) {
    reader.readAll('FILTER', '(', 'WHERE');
    complete = { ...complete, filter: parser.parse() };
    reader.read(')');
  }
  if (!reader.is('OVER') || !reader.isAhead(1, '(')) return complete;
  return { ...complete, over: parseWindow(parser) };
}

function parseWindow(parser: ArgumentParser): WindowSpecification {
  const { reader } = parser;
  reader.readAll('OVER', '(');
  const partitionBy = reader.readPairIf('PARTITION', 'BY') ? parser.parseList() : [];
  const orderBy = reader.readPairIf('ORDER', 'BY') ? parser.parseOrder() : [];
  const frame = parseFrame(parser);
  reader.read(')');
  return { partitionBy, orderBy, frame };
}

function parseFrame(parser: ArgumentParser): WindowFrame | undefined {
  const { reader } = parser;
  const unit = readUnit(reader);
  if (unit === undefined) return undefined;
  const between = reader.readIf('BETWEEN');
  const start = parseBound(parser);
  let end: FrameBound | undefined;
  if (between) {
    reader.read('AND');
    end = parseBound(parser);
  }
  return { unit, start, end, exclude: readExclusion(reader) };
}

function readUnit(reader: TokenReader): WindowFrame['unit'] | undefined {
  if (reader.readIf('ROWS')) return 'ROWS';
  if (reader.readIf('RANGE')) return 'RANGE';
  return reader.readIf('GROUPS') ? 'GROUPS' : undefined;
}

function readExclusion(reader: TokenReader): WindowFrame['exclude'] {
  if (!reader.readIf('EXCLUDE')) return undefined;
  if (reader.readAllIf('CURRENT', 'ROW')) return 'CURRENT ROW';
  if (reader.readIf('GROUP')) return 'GROUP';
  if (reader.readIf('TIES')) return 'TIES';
  reader.readAll('NO', 'OTHERS');
  return undefined;
}

function parseBound(parser: ArgumentParser): FrameBound {
  const { reader } = parser;
  if (reader.readAllIf('UNBOUNDED', 'PRECEDING')) return { kind: 'unbounded preceding' };
  if (reader.readAllIf('UNBOUNDED', 'FOLLOWING')) return { kind: 'unbounded following' };
  if (reader.readAllIf('CURRENT', 'ROW')) return { kind: 'current row' };
  const offset = parser.parseOperand();
  if (reader.readIf('PRECEDING')) return { kind: 'preceding', offset };
  reader.read('FOLLOWING');
  return { kind: 'following', offset };
}
