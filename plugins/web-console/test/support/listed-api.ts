import type { ApiResponse, ApiRequest } from '@portolan/plugin-api';

/** An API that has one list of servers, in pages, and counts what it is asked. */
export class ListedApi {
  readonly asked: ApiRequest[] = [];
  names: readonly string[];
  /** Undefined: it says none. */
  tag: string | undefined = 'W/"1"';
  /** Told of each request before it is answered. */
  before: (request: ApiRequest) => Promise<void> = () => Promise.resolve();

  constructor(names: readonly string[]) {
    this.names = names;
  }

  readonly api = async (request: ApiRequest): Promise<ApiResponse> => {
    this.asked.push(request);
    await this.before(request);
    const { path, query, headers: sent = {} } = request;
    if (!path.startsWith('/registry/main/')) return { status: 404, headers: {}, json: { error: 'No.' } };
    const headers: Record<string, string> =
      this.tag === undefined ? {} : { etag: this.tag, 'portolan-tag-covers': 'list' };
    if (this.tag !== undefined && sent['If-None-Match'] === this.tag)
      return { status: 304, headers, json: undefined };
    const parameters = new URLSearchParams(query);
    const [from, limit] = [Number(parameters.get('cursor') ?? 0), Number(parameters.get('limit') ?? 30)];
    const isServers = path.endsWith('/servers');
    const matches = isServers
      ? this.names.filter((name) => name.includes((parameters.get('search') ?? '').toLowerCase()))
      : [];
    const servers = matches.slice(from, from + limit).map((name) => ({
      server: { name: `com.acme/${name}`, description: `About ${name}`, version: '1.0.0' },
      _meta: {},
    }));
    const nextCursor = from + limit < matches.length ? { nextCursor: String(from + limit) } : {};
    const key = path.split('/').at(-1) ?? '';
    return { status: 200, headers, json: { [key]: servers, metadata: nextCursor } };
  };
}
