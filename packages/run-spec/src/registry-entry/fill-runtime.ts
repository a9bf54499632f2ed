import { type Answers, fillTemplate, type Template } from './entry-input.ts';
import { secretInClear } from './entry-errors.ts';
import type { RuntimeSetting } from './runtime-settings.ts';

export interface FilledRuntime extends Pick<RuntimeSetting, 'kind' | 'argument' | 'readOnly'> {
  /** Host path and container path of a volume; a single value for other arguments. */
  readonly values: readonly string[];
  /** Whether the host path is a value that the user gave. */
  readonly isUsers: boolean;
}

/**
 * Fills in the inputs of runtime arguments. Omits an argument whose optional input has no value. Throws
 * ERR_SECRET_REFERENCE for a secret, which the run config would store in plain text.
 */
export function fillRuntime(
  settings: readonly RuntimeSetting[],
  answers: Answers,
  server: string,
): readonly FilledRuntime[] {
  return settings.flatMap(({ kind, argument, parts, readOnly, isPath }) => {
    const values = parts.map((part) => fillTemplate(part, answers));
    if (!values.every((value) => value !== undefined)) return [];
    const secret = parts.flatMap(({ inputs }) => inputs).find(({ isSecret }) => isSecret);
    if (secret !== undefined)
      throw secretInClear(secret.name, `the runtime argument ${argument} of ${server}`);
    const [source, target] = values;
    const isUsers = parts[0] !== undefined && isInputAnswer(parts[0], answers);
    const isName = source !== undefined && /^[A-Za-z0-9_]/.test(source) && !/^[A-Za-z]:[\\/]/.test(source);
    const isFolder = isName && (isPath || source.includes('/') || isPathInput(parts[0]));
    const whole = isFolder && kind === 'volume' && target !== undefined ? [`./${source}`, target] : values;
    return [{ kind, argument, readOnly, values: whole, isUsers }];
  });
}

/**
 * Returns whether a path is exactly the user's value. A path below it is not: a server that can write the
 * folder may have put a symbolic link there, which can lead anywhere.
 */
function isInputAnswer({ text }: Template, answers: Answers): boolean {
  const [, name = ''] = /^\{([^{}]+)\}\/?$/.exec(text) ?? [];
  return (answers.get(name) ?? '') !== '';
}

function isPathInput(part: Template | undefined): boolean {
  return part?.inputs.some(({ format }) => format === 'filepath') === true;
}
