import type {
  ClientExchange,
  Denial,
  Identity,
  JsonObject,
  ProxyMiddleware,
  RequestView,
  ResponseView,
} from '@portolan/plugin-api';
import { createRunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import { readAuthzConfig } from '../steps/read/read-authz-config.ts';
import { pathOf } from '../steps/read/read-policy-files.ts';
import { readDenials } from './find-denial.ts';
import { withPoliciesAlone } from './open-policies-alone.ts';

export interface TriedRequest {
  readonly file: string;
  readonly caller: Identity;
  readonly server: string;
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  /** Name of the tool or prompt, `MEMBER/NAME` for a virtual server, or URI of the resource. */
  readonly name: string;
  /** Arguments as JSON without duplicate keys, which a proxy would reject. */
  readonly args: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export interface TriedAuthorization {
  readonly isAllowed: boolean;
  /**
   * Reasons that the authorizer gave. Undefined for an allowed request, and when the authorizer gives no
   * reasons.
   */
  readonly denial: Denial | undefined;
  readonly warnings: readonly string[];
}

/**
 * Evaluates a request with the authorizer of a policy file, without a server. Throws ERR_NAMED_FILE and
 * ERR_CONFIG_INVALID.
 */
export async function tryAuthorization(
  tried: TriedRequest,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<TriedAuthorization> {
  const fields = await readAuthzConfig(tried.file, pathOf(tried.file, context), signal);
  const config = createRunConfig({
    name: 'authz-test',
    registry_server_name: tried.server,
    // Policies then see the member in MEMBER/NAME, as those of a virtual server do.
    member_group: tried.method !== 'resources/read' && tried.name.includes('/') ? 'authz-test' : '',
    ...fields,
    // With an empty path, the authorizer does not watch the policy file for changes.
    authz_config_path: '',
  });
  return await withPoliciesAlone(config, tried.file, context, async ({ opened, warnings, folder }) => {
    const isAllowed = await areAllowing(
      opened.map(({ instance }) => instance),
      tried,
    );
    const [denial] = await readDenials(folder);
    return { isAllowed, denial, warnings };
  });
}

async function areAllowing(opened: readonly ProxyMiddleware[], tried: TriedRequest): Promise<boolean> {
  const list = requestOf('tools/list', '{}');
  const tools = [{ name: tried.name, annotations: tried.annotations }];
  const { method, name, args } = tried;
  const named = JSON.stringify(name);
  const requestView = requestOf(
    method,
    method === 'resources/read' ? `{"uri":${named}}` : `{"name":${named},"arguments":${args}}`,
  );
  for (const instance of opened) {
    if (method === 'tools/call')
      await instance.onResponse?.(answerOf({ tools }), exchangeOf(tried.caller, list));
    const verdict = await instance.onMessage?.(requestView, exchangeOf(tried.caller, requestView));
    if (verdict !== undefined && verdict !== null && 'refuse' in verdict) return false;
  }
  return true;
}

/** Returns a request with the unchanged text of `params`, because re-serialization could change numbers. */
function requestOf(method: TriedRequest['method'] | 'tools/list', params: string): RequestView {
  const text = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  return { kind: 'request', text, id: '1', method, params: parseMembers(params) };
}

function parseMembers(text: string): JsonObject {
  // The caller has checked that the text is a JSON object.
  return JSON.parse(text) as JsonObject;
}

function answerOf(result: object): ResponseView {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
  return { kind: 'response', text, id: '1', result, error: undefined };
}

function exchangeOf(caller: Identity, message: RequestView): ClientExchange {
  const request = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: {},
    remoteAddress: '127.0.0.1',
    receivedAt: new Date(0),
    program: undefined,
    caller,
  };
  return { request, caller, era: 'legacy', sessionId: undefined, isBatch: false, message };
}
