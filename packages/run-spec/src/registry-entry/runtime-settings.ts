import { type JsonMembers, memberOf, textMember } from '../document/json-members.ts';
import { unreachable } from '../parse/unreachable.ts';
import type { EntryInput, Template } from './entry-input.ts';
import { templateOf, undefinedInput } from './read-input.ts';
import { imageOfPython, meaningOfOption } from './runner-options.ts';

export type RuntimeSettingKind = 'volume' | 'publish' | 'network' | 'with' | 'python' | 'index';

export interface RuntimeSetting {
  readonly kind: RuntimeSettingKind;
  /** Argument as the entry contains it: `-v {folder}:/work`. */
  readonly argument: string;
  /** Host path and container path of a volume; a single value for other arguments. */
  readonly parts: readonly Template[];
  readonly readOnly: boolean;
  /** Whether the source is always a path, and never the name of a volume. */
  readonly isPath: boolean;
}

export interface RuntimeBlocker {
  readonly argument: string;
  readonly because: string;
  /** Setting with which the user can run the server despite this argument. */
  readonly unless: 'network' | 'privileged' | 'never';
  /** The network that the entry requests. */
  readonly network?: string;
}

export interface RuntimeSettings {
  readonly settings: readonly RuntimeSetting[];
  readonly blockers: readonly RuntimeBlocker[];
  /** Sentences about arguments that are ignored or have no effect. */
  readonly notes: readonly string[];
}

/**
 * Converts a package's runtime arguments to settings of the run. `items` must have each option joined with
 * its value.
 */
export function readRuntimeSettings(items: readonly JsonMembers[], runtime: string): RuntimeSettings {
  const settings: RuntimeSetting[] = [];
  const blockers: RuntimeBlocker[] = [];
  const notes: string[] = [];
  const needless: string[] = [];
  for (const item of items) {
    const option = memberOf(item, 'type') === 'named' ? textMember(item, 'name') : undefined;
    const text = textMember(item, 'value');
    if (option === undefined && runtime === 'docker' && (text === 'run' || text === 'container')) continue;
    const match = option === undefined ? unknownWord() : readOption(option, item, runtime);
    const argument = describeArgument(item);
    if (match === 'needless') needless.push(option ?? argument);
    else if ('parts' in match) settings.push({ ...match, argument });
    else if (match.unless !== 'never' || memberOf(item, 'isRequired') === true) {
      blockers.push({ ...match, argument });
    } else notes.push(`The runtime argument ${argument} is left out: ${match.because}.`);
  }
  if (needless.length > 0) {
    notes.push(`Left out, because Portolan decides it itself: ${[...new Set(needless)].join(', ')}.`);
  }
  return { settings, blockers, notes };
}

type OptionReading = 'needless' | Omit<RuntimeSetting, 'argument'> | Omit<RuntimeBlocker, 'argument'>;

const unknownWord = (): OptionReading => ({
  unless: 'never',
  because: 'it stands before the server and is no option',
});
const noSetting = (because = 'Portolan has no such setting'): OptionReading => ({ unless: 'never', because });

function readOption(option: string, item: JsonMembers, runtime: string): OptionReading {
  const meaning = meaningOfOption(runtime, option);
  const value = valueOf(item, option);
  switch (meaning) {
    case 'needless':
      return 'needless';
    case 'volume':
      return readVolume(value);
    case 'mount':
      return readMount(value);
    case 'publish':
      return { kind: 'publish', parts: [value], readOnly: false, isPath: false };
    case 'network':
      return readNetwork(value);
    case 'power':
      return /^no-new-privileges(?:[:=]true)?$/.test(value.text)
        ? 'needless'
        : { unless: 'privileged', because: 'an entry cannot widen what its container may do' };
    case 'python':
      return imageOfPython(value.text) === undefined && value.inputs.length === 0
        ? noSetting('only a version such as 3.12 chooses the base image')
        : { kind: 'python', parts: [value], readOnly: false, isPath: false };
    case 'with':
    case 'index':
      return { kind: meaning, parts: [value], readOnly: false, isPath: false };
    case 'env':
      return noSetting('it names no variable');
    case 'package':
      return noSetting('a run has one package');
    case 'other':
      return noSetting();
    default:
      return unreachable(meaning);
  }
}

/** Splits `source:/path[:mode]` before inputs are filled, so that a value cannot add another path. */
function readVolume(value: Template): OptionReading {
  const parts = splitOutside(value.text, ':');
  if (parts.length === 1 && isInput(value))
    return { kind: 'volume', parts: [value], readOnly: false, isPath: false };
  const [source, target, mode = '', ...more] = parts;
  if (source === undefined || target === undefined || more.length > 0) {
    return noSetting('Portolan has no volumes without a name');
  }
  const modes = mode
    .split(',')
    .filter((one) => !['', 'rw', 'z', 'Z', 'ro', 'cached', 'delegated'].includes(one));
  if (modes.length > 0) return noSetting(`the mode ${modes.join(', ')} is unknown`);
  return volume(value, source, target, { readOnly: mode.split(',').includes('ro'), isPath: false });
}

/** Splits `type=bind,src=…,dst=…` before inputs are filled. */
function readMount(value: Template): OptionReading {
  const fields = new Map<string, string>();
  for (const part of splitOutside(value.text, ',')) {
    const [key = '', ...rest] = part.split('=');
    fields.set(MOUNT_FIELDS[key.trim().toLowerCase()] ?? key.trim().toLowerCase(), rest.join('=').trim());
  }
  const type = fields.get('type') ?? 'volume';
  const [source = '', target] = [fields.get('source'), fields.get('target')];
  const others = [...fields.keys()].filter((key) => !['type', 'source', 'target', 'readonly'].includes(key));
  if (type !== 'bind' && type !== 'volume') return noSetting(`a mount of type ${type} has no counterpart`);
  if (target === undefined || source === '') return noSetting('it names no source and no target');
  if (others.length > 0) return noSetting(`Portolan has no option ${others.join(', ')} of a mount`);
  const readOnly = fields.has('readonly') && !['false', '0'].includes(fields.get('readonly') ?? '');
  return volume(value, source, target, { readOnly, isPath: type === 'bind' });
}

const MOUNT_FIELDS: Readonly<Record<string, string>> = {
  src: 'source',
  dst: 'target',
  destination: 'target',
  ro: 'readonly',
};

function volume(
  { inputs }: Template,
  source: string,
  target: string,
  how: Pick<RuntimeSetting, 'readOnly' | 'isPath'>,
): OptionReading {
  const part = (text: string): Template => ({
    text,
    inputs: inputs.filter(({ name }) => text.includes(`{${name}}`)),
  });
  return { kind: 'volume', parts: [part(source), part(target)], ...how };
}

function readNetwork(value: Template): OptionReading {
  if (isInput(value) || value.text === 'none')
    return { kind: 'network', parts: [value], readOnly: false, isPath: false };
  if (value.text === 'bridge' || value.text === 'default') return 'needless';
  return {
    unless: 'network',
    network: value.text,
    because: 'an entry cannot choose a network with more access',
  };
}

/** Splits at a character outside of `{…}`. The colon of a drive letter does not count. */
function splitOutside(text: string, at: ':' | ','): readonly string[] {
  const pattern = at === ':' ? /:(?![^{]*\})(?!(?<=^[A-Za-z]:)[\\/])/ : /,(?![^{]*\})/;
  return text.split(pattern);
}

function isInput({ text, inputs }: Template): boolean {
  return inputs.some(({ name }) => text === `{${name}}`);
}

const PLACE = /\{([^{}]+)\}/g;

/**
 * Returns the value of an option. A `{name}` that the entry does not define becomes an input, because a path
 * or port cannot contain it.
 */
function valueOf(item: JsonMembers, option: string): Template {
  const { text, inputs } = templateOf(item, textMember(item, 'valueHint') ?? option);
  const isRequired = memberOf(item, 'isRequired') === true;
  const names = [...new Set([...text.matchAll(PLACE)].map(([, name = '']) => name))];
  const all = names.map(
    (name): EntryInput =>
      inputs.find((input) => input.name === name) ??
      undefinedInput(name, { isRequired: false, isSecret: false }),
  );
  return {
    text,
    inputs: all.map(({ isOptionalText: _isOptionalText, ...input }) => ({
      ...input,
      isRequired: input.isRequired || (isRequired && input.default === undefined),
    })),
  };
}

export function describeArgument(item: JsonMembers): string {
  const name = memberOf(item, 'type') === 'named' ? textMember(item, 'name') : undefined;
  const value = memberOf(item, 'isSecret') === true ? undefined : textMember(item, 'value');
  return [name, value].filter((part) => part !== undefined).join(' ') || 'without a name';
}
