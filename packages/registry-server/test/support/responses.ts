/** A list of servers as a client sees it. */
export interface ServerList {
  readonly servers: readonly ServerResponse[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

export interface ServerResponse {
  readonly server: { readonly name: string; readonly version: string };
  readonly _meta: { readonly 'io.modelcontextprotocol.registry/official': Readonly<Record<string, unknown>> };
}

export interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly requestId: string;
  readonly hint?: string;
}

/** The JSON of an answer; what a test then looks at fails when it is not there. */
export async function json<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

/** Names of the servers of a list, in its order. */
export async function namesOf(response: Response | Promise<Response>): Promise<readonly string[]> {
  const { servers } = await json<ServerList>(response);
  return servers.map(({ server }) => `${server.name}@${server.version}`);
}

/** Status and code of a refusal. */
export async function refusalOf(response: Response | Promise<Response>): Promise<string> {
  const reply = await response;
  const { code } = await json<ErrorBody>(reply);
  return `${reply.status} ${code}`;
}
