import { meaningOfDockerOption, dockerOptionTakesValue, splitOption, isVolumeName } from '@portolan/run-spec';
import { looksSecret } from './secret-values.ts';
import { findImageReference } from '@portolan/outbound';
import { Translation } from './translation.ts';

interface DockerLine {
  readonly translation: Translation;
  /** Published ports, `HOST:CONTAINER`. */
  readonly ports: string[];
  /** Whether the server uses standard input and output. */
  isInteractive: boolean;
}

/** Translates the words after `docker run`; undefined without an image. */
export function translateDocker(words: readonly string[]): Translation | undefined {
  const translation = new Translation();
  const line: DockerLine = { translation, ports: [], isInteractive: false };
  let at = 0;
  for (; at < words.length && words[at]?.startsWith('-') === true; at += 1) {
    for (const { option = '', value } of splitOption(words[at] ?? '', dockerOptionTakesValue)) {
      const input = value ?? (dockerOptionTakesValue(option) ? words[(at += 1)] : undefined);
      addOption(line, option, input ?? '');
    }
  }
  const [image, ...args] = words.slice(at);
  if (image === undefined) return undefined;
  // A name without a tag could be that of a registry entry.
  const { tag, digest } = findImageReference(image) ?? {};
  translation.target = tag === undefined && digest === undefined ? `${image}:latest` : image;
  addPorts(line);
  translation.addArguments(args, () => undefined);
  return translation;
}

/** Options that `portolan run` has under the same name. */
const SAME: readonly string[] = ['--name', '--env-file', '--label', '-l'];

function addOption(line: DockerLine, option: string, value: string): void {
  const { translation } = line;
  const { flags, notes } = translation;
  if (['-i', '--interactive'].includes(option)) line.isInteractive = true;
  if (SAME.includes(option)) {
    if (looksSecret(option, value)) notes.push(`${option} is left out: its value looks like a secret.`);
    else flags.push(option, value);
    return;
  }
  switch (meaningOfDockerOption(option)) {
    case 'env':
      addVariable(translation, value);
      return;
    case 'volume':
      addVolume(translation, value);
      return;
    case 'mount':
      addMount(translation, value);
      return;
    case 'network':
      flags.push('--network', value);
      return;
    case 'publish':
      line.ports.push(value.replace(/^(?:\[[^\]]*\]|[^:]*\.[^:]*|localhost):/, '').replace(/\/tcp$/, ''));
      return;
    case 'power':
      notes.push(`${option} is left out: \`--permission-profile FILE\` with "privileged": true allows it.`);
      return;
    case 'needless':
      return;
    case 'other':
    default:
      notes.push(`${option} is left out: Portolan has no such setting.`);
  }
}

function addVariable(translation: Translation, text: string): void {
  const at = text.indexOf('=');
  translation.addVariable(at === -1 ? text : text.slice(0, at), at === -1 ? undefined : text.slice(at + 1));
}

function addVolume({ flags, notes }: Translation, text: string): void {
  const [source = '', target, mode = ''] = text.split(':');
  if (target === undefined) notes.push(`-v ${text} is left out: a volume needs a name or a folder.`);
  else
    flags.push(
      '-v',
      `${isVolumeName(source) ? 'volume://' : ''}${source}:${target}${/(?:^|,)ro(?:,|$)/.test(mode) ? ':ro' : ''}`,
    );
}

function addMount({ flags, notes }: Translation, text: string): void {
  const fields = new Map(
    text.split(',').map((part) => [part.replace(/=.*$/s, ''), part.replace(/^[^=]*=?/s, '')] as const),
  );
  const of = (...names: readonly string[]): string | undefined =>
    names.map((name) => fields.get(name)).find((one) => one !== undefined);
  const [type = 'volume', source, target] = [
    of('type'),
    of('src', 'source'),
    of('dst', 'target', 'destination'),
  ];
  if (source === undefined || target === undefined || !['bind', 'volume'].includes(type)) {
    notes.push(`--mount ${text} is left out: Portolan has no such mount.`);
    return;
  }
  const readOnly = ['ro', 'readonly'].some((name) => fields.has(name) && fields.get(name) !== 'false');
  const isName = /^[A-Za-z0-9]/.test(source);
  const place = type === 'volume' ? `volume://${source}` : isName ? `./${source}` : source;
  flags.push('-v', `${place}:${target}${readOnly ? ':ro' : ''}`);
}

/**
 * Maps the first published port of a non-interactive server, at which the server listens, to the proxy; adds
 * the other ports.
 */
function addPorts({ translation, ports, isInteractive }: DockerLine): void {
  const [first, ...others] = isInteractive ? [undefined, ...ports] : ports;
  if (first !== undefined) {
    const [host = '', container = host] = first.split(':');
    translation.flags.push(
      '--transport',
      'streamable-http',
      '--target-port',
      container,
      '--proxy-port',
      host,
    );
  }
  for (const port of others) if (port !== undefined) translation.flags.push('-p', port);
}
