import { type ClientMessage, type ClientVerdict, isJsonObject } from '@portolan/plugin-api';
import { methodMisspelt, toolNotFound, toolUnnamed } from './refusals.ts';
import type { ToolNames } from './tool-names.ts';

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
