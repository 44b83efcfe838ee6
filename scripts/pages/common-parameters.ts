/** Finds the parameters that many commands share, which the reference describes once. */
import { COMMANDS } from '../../src/commands/registry.ts';
import { shownName, shownType, type WireParameter, wireParameters } from '../../src/documentation/command-guide.ts';

/** A parameter that this many commands declare in the same way is common. */
const MIN_COMMANDS = 10;

/** Returns the common parameters, those of the most commands first. */
export function commonParameters(serviceName: string): readonly WireParameter[] {
  const found = new Map<string, { readonly parameter: WireParameter; count: number }>();
  for (const command of COMMANDS) {
    for (const parameter of wireParameters(command, serviceName)) {
      const known = found.get(description(parameter));
      if (known === undefined) found.set(description(parameter), { parameter, count: 1 });
      else known.count += 1;
    }
  }
  return [...found.values()]
    .filter(({ count }) => count >= MIN_COMMANDS)
    .sort((left, right) => right.count - left.count)
    .map(({ parameter }) => parameter);
}

/** Reports whether a parameter of a command is one of {@link commonParameters}, with the same meaning. */
export function isCommon(parameter: WireParameter, serviceName: string): boolean {
  return commonParameters(serviceName).some((common) => description(common) === description(parameter));
}

/** The values and the meaning of a parameter, regardless of whether a command requires it. */
function description(parameter: WireParameter): string {
  return [shownName(parameter), shownType(parameter), parameter.defaultText ?? '', parameter.summary].join('\n');
}
