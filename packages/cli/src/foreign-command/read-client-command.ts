import { findClientCommand } from './foreign-words.ts';
import { findForeignServers, type ForeignServer, translateServer } from './translate-json.ts';

/** Options of a client's `mcp add` that take a value. */
const VALUED: ReadonlySet<string> = new Set(
  (
    '-s --scope -t --transport --type -e --env -H --header --url --name --command --args --bearer-token-env-var ' +
    '--client-id --client-secret --callback-port --timeout --description --include-tools --exclude-tools --cwd'
  ).split(' '),
);

/**
 * Reads `CLIENT mcp add NAME -- COMMAND`, `CLIENT mcp add --transport http NAME URL`, `CLIENT mcp add-json
 * NAME JSON` and `EDITOR --add-mcp JSON`; undefined without a server.
 */
export function readClientCommand(words: readonly string[]): readonly ForeignServer[] | undefined {
  const { options, positionals, command } = splitWords(words.slice(findClientCommand(words)?.length));
  if (words[1] === '--add-mcp') return findForeignServers(parseObject(positionals[0] ?? ''));
  if (words[2] === 'add-json') {
    const document = parseObject(command[0] ?? '');
    return document === undefined ? undefined : [translateServer(positionals[0], document)];
  }
  const first = (...names: readonly string[]): string | undefined =>
    names.flatMap((name) => options.get(name) ?? []).at(0);
  const named = first('--name');
  const [name, ...behind] = named === undefined ? positionals : [named, ...positionals];
  const url = first('--url') ?? behind.find((word) => /^https?:\/\//.test(word));
  const program = first('--command');
  const line = [
    ...(program === undefined ? [] : [program, ...(first('--args') ?? '').split(/[\s,]+/)]),
    ...command,
  ];
  if (url === undefined && line.length === 0) return undefined;
  const bearer = first('--bearer-token-env-var');
  const server = {
    ...(line.length > 0 ? { command: line.filter((word) => word !== '') } : { url }),
    env: pairs([...(options.get('-e') ?? []), ...(options.get('--env') ?? [])], /=/),
    headers: pairs([...(options.get('-H') ?? []), ...(options.get('--header') ?? [])], /:\s*/),
    ...(bearer === undefined ? {} : { bearer_token_env_var: bearer }),
    type: first('-t', '--transport', '--type'),
  };
  return [translateServer(name, server)];
}

interface ClientWords {
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** Name of the server, and its address. */
  readonly positionals: readonly string[];
  readonly command: readonly string[];
}

function splitWords(words: readonly string[]): ClientWords {
  const options = new Map<string, string[]>();
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return { options, positionals, command: words.slice(at + 1) };
    const [, option = word, joined] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (word.startsWith('-')) {
      const values = [joined ?? (VALUED.has(option) ? (words[(at += 1)] ?? '') : '')];
      // One `--env` may have several pairs after it.
      while (/^(?:-e|--env)$/.test(option) && /^[A-Za-z_]\w*=/.test(words[at + 1] ?? ''))
        values.push(words[(at += 1)] ?? '');
      options.set(option, [...(options.get(option) ?? []), ...values]);
    } else if (positionals.length === 0 || /^https?:\/\//.test(word)) positionals.push(word);
    else return { options, positionals, command: words.slice(at) };
  }
  return { options, positionals, command: [] };
}

function pairs(texts: readonly string[], separator: RegExp): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = ''] = text.split(separator, 1);
      return [name, text.slice(name.length).replace(separator, '')];
    }),
  );
}

function parseObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the error shows what was found
  }
}
