import {
  bareListChange,
  type ProxyMiddlewareKind,
  type ResponseView,
  type ServerVerdict,
  type KindProblem,
  type MessageChange,
  soleMemberOf,
  type ClientMessage,
  type ClientVerdict,
  isJsonObject,
} from '@portolan/plugin-api';
import { toolFilterConfig, type ToolFilterConfig } from './tool-filter-config.ts';
import { ToolNames } from './tool-names.ts';
import { listUnusable, methodMisspelt, toolNotFound, toolUnnamed } from './refusals.ts';

const METHODS = ['tools/call', 'tools/list'];

/**
 * Returns the message with the server's name, or the refusal. Also checks notifications, because a server
 * could run them.
 */
export function judgeCall(names: ToolNames, message: ClientMessage): ClientVerdict | undefined {
  if (message.kind === 'response') return undefined;
  const { method, params } = message;
  const spelt = method.trim().toLowerCase();
  const meant = METHODS.find((known) => known === spelt && known !== method);
  if (meant !== undefined) return { refuse: methodMisspelt(meant) };
  const named = namedTool(method, params);
  if (named === undefined) return undefined;
  if (typeof named.name !== 'string') return { refuse: toolUnnamed() };
  const real = names.real(named.name);
  if (real === undefined) return { refuse: toolNotFound() };
  return real === named.name ? undefined : { change: [{ path: named.path, json: JSON.stringify(real) }] };
}

function namedTool(
  method: string,
  params: Readonly<Record<string, unknown>> | undefined,
): { readonly name: unknown; readonly path: readonly string[] } | undefined {
  if (method === 'tools/call') return { name: own(params, 'name'), path: ['params', 'name'] };
  const ref = method === 'completion/complete' ? own(params, 'ref') : undefined;
  // The protocol completes only prompts and resources, but some servers also complete tool arguments.
  if (own(ref, 'type') !== 'ref/tool') return undefined;
  return { name: own(ref, 'name'), path: ['params', 'ref', 'name'] };
}

function own(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Caches judged lists by the list object, because the proxy passes the same frozen object while a list is
 * unchanged.
 */
class JudgedLists {
  readonly #names: ToolNames;
  readonly #verdicts = new WeakMap<object, { readonly is: ServerVerdict | undefined }>();

  constructor(names: ToolNames) {
    this.#names = names;
  }

  judge(response: ResponseView): ServerVerdict | undefined {
    const { result } = response;
    if (typeof result !== 'object' || result === null || !Object.isFrozen(result)) {
      return judgeList(this.#names, response);
    }
    const known = this.#verdicts.get(result);
    if (known !== undefined) return known.is;
    const is = judgeList(this.#names, response);
    this.#verdicts.set(result, { is });
    return is;
  }
}

/**
 * Shows clients a selection of a server's tools, optionally renamed. Later middleware sees the server's
 * names.
 */
export const toolFilter: ProxyMiddlewareKind<typeof toolFilterConfig> = {
  kind: 'tool-filter',
  config: toolFilterConfig,
  placed: 'names',
  check: checkToolFilter,
  create: (config) => {
    const names = new ToolNames(config);
    const lists = new JudgedLists(names);
    return {
      namedTools: () => names.configured,
      onMessage: (message) => judgeCall(names, message),
      onResponse: (message, { message: request }) => {
        if (message.kind === 'notification') return bareListChange(message);
        const isList =
          message.kind === 'response' && request?.kind === 'request' && request.method === 'tools/list';
        return isList ? lists.judge(message) : undefined;
      },
    };
  },
};

/**
 * Checks the settings: overrides without effect, tools that get the same name, and names that no longer
 * exist.
 */
export function checkToolFilter({ tools, override }: ToolFilterConfig): readonly KindProblem[] {
  const entries = Object.entries(override);
  const byName = new Map<string, string>();
  const problems: KindProblem[] = [];
  for (const [real, { name = real, description }] of entries) {
    const taken = byName.get(name);
    if (name === real && description === undefined) {
      problems.push({ place: `override.${real}`, found: 'no change', expected: 'a name or a description' });
    } else if (taken !== undefined) {
      const found = `${name}, which is already the name of ${taken}`;
      problems.push({ place: `override.${real}.name`, found, expected: 'a unique name' });
    } else byName.set(name, real);
  }
  for (const [index, tool] of tools.entries()) {
    const newName = Object.hasOwn(override, tool) ? override[tool]?.name : undefined;
    if (newName === undefined || newName === tool || byName.has(tool)) continue;
    const found = `${tool}, which clients see as ${newName}`;
    problems.push({ place: `tools[${index}]`, found, expected: newName });
  }
  return problems;
}

/** Renames and removes tools in a list. Everything else keeps its original bytes. */
export function judgeList(names: ToolNames, { result, error }: ResponseView): ServerVerdict | undefined {
  if (error !== undefined) return undefined;
  const tools = soleMemberOf(result, 'tools');
  if (!Array.isArray(tools)) return { refuse: listUnusable('it holds no tools, or tools twice') };
  const change: MessageChange[] = [];
  for (const [index, tool] of tools.entries()) {
    const real = soleMemberOf(tool, 'name');
    if (typeof real !== 'string') return { refuse: listUnusable('one of its tools has no name, or two') };
    if (names.rival(real) !== undefined) return { refuse: listUnusable('two of its tools have one name') };
    change.push(...changesOf(names, real, ['result', 'tools', index]));
  }
  return change.length === 0 ? undefined : { change };
}

function changesOf(names: ToolNames, real: string, path: MessageChange['path']): readonly MessageChange[] {
  const seen = names.visible(real);
  if (seen === undefined) return [{ path, json: undefined }];
  const renamed = seen.name === real ? [] : [{ path: [...path, 'name'], json: JSON.stringify(seen.name) }];
  if (seen.description === undefined) return renamed;
  return [...renamed, { path: [...path, 'description'], json: JSON.stringify(seen.description) }];
}
