import { splitRequirement } from '@portolan/run-spec';
import { looksSecret } from './secret-values.ts';
import { Translation } from './translation.ts';

/** Matches packages that connect a client to a remote server, which Portolan does itself. */
const BRIDGES = /^(?:mcp-remote|@geelen\/mcp-remote|mcp-proxy|supergateway)$/;

/** Matches a variable in an argument, which the bridge or the client replaces. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)\}/g;

/**
 * Translates a command line such as `npx mcp-remote URL --header "Name: value"` to the remote server; undefined
 * for other command lines. `variables` are those of the command line and of the client's file.
 */
export function translateBridge(
  words: readonly string[],
  variables: ReadonlyMap<string, string | undefined>,
): Translation | undefined {
  const at = words.findIndex((word) => BRIDGES.test(splitRequirement(word).name));
  const url = words.slice(at + 1).find((word) => /^https?:\/\//.test(word));
  if (at === -1 || url === undefined) return undefined;
  const translation = new Translation();
  translation.setAddress(url);
  const args = words.slice(at + 1);
  if (speaksSse(splitRequirement(words[at] ?? '').name, args, url))
    translation.flags.push('--transport', 'sse');
  const used = new Set<string>();
  for (const [name, value] of headersOf(args)) {
    const names = [...value.matchAll(VARIABLE)].map(([, variable = '']) => variable);
    for (const variable of names) used.add(variable);
    const filled = value.replaceAll(VARIABLE, (whole, variable: string) => variables.get(variable) ?? whole);
    const isSecret = names.some((variable) => looksSecret(variable, variables.get(variable) ?? ''));
    translation.addHeader(name, filled, isSecret);
  }
  for (const name of variables.keys())
    if (!used.has(name))
      translation.notes.push(`Left out: the variable ${name}, because a remote server has none.`);
  return translation;
}

/** Returns the headers that the arguments of a bridge add to its requests. */
function headersOf(args: readonly string[]): readonly (readonly [string, string])[] {
  return args.flatMap((word, at): readonly (readonly [string, string])[] => {
    const value = args[at + 1] ?? '';
    if (/^--oauth2Bearer(?:=|$)/.test(word))
      return [['Authorization', `Bearer ${/=(.*)$/s.exec(word)?.[1] ?? value}`]];
    // Python's mcp-proxy takes the name and the value as two words.
    if (/^(?:-H|--headers)$/.test(word) && !/^[\w-]+:/.test(value)) return [[value, args[at + 2] ?? '']];
    const [, joined] = /^--headers?=(.*)$/s.exec(word) ?? [];
    const text = joined ?? (/^(?:-H|--headers?)$/.test(word) ? value : '');
    const [, name, content] = /^([\w-]+):\s*(.*)$/s.exec(text) ?? [];
    return name === undefined || content === undefined ? [] : [[name, content]];
  });
}

/** Returns whether a bridge uses HTTP+SSE at an address whose path does not say so. */
function speaksSse(bridge: string, args: readonly string[], url: string): boolean {
  if (/\/sse\/?(?:[?#]|$)/.test(url)) return false;
  if (bridge === 'supergateway') return args[args.indexOf(url) - 1] === '--sse';
  const chosen = args[args.indexOf('--transport') + 1] ?? '';
  const names = args.includes('--transport') ? chosen : bridge === 'mcp-proxy' ? 'sse' : '';
  return /^sse(?:-only)?$/.test(names);
}
