import { clientUnknown } from './client-errors.ts';

/** How a client tells the two transports apart; undefined writes no such field. */
export interface TypeLabels {
  readonly key: string;
  readonly 'streamable-http': string;
  readonly sse: string;
}

/** A client program and the file in which it keeps its servers. */
export interface ClientProgram {
  readonly id: string;
  /** Below the home folder; `C` is the folder of configurations of the operating system. */
  readonly file: string;
  /** `map`: servers by name. `list`: servers with a field `name`. */
  readonly form: 'json-map' | 'yaml-map' | 'yaml-list' | 'toml-map' | 'toml-list';
  /** The key at the top of the document that holds the servers. */
  readonly servers: string;
  /** The field of the address; undefined for a client that starts its servers and knows no addresses. */
  readonly url: { readonly 'streamable-http': string; readonly sse: string } | undefined;
  readonly type: TypeLabels | undefined;
  /** Fields beside address and type; `NAME` is the name of the workload. */
  readonly extra?: Readonly<Record<string, string | number | boolean>>;
}

const URL_FIELD = sameUrl('url');
const HTTP: TypeLabels = { key: 'type', 'streamable-http': 'http', sse: 'sse' };

export const CLIENTS: readonly ClientProgram[] = [
  json('vscode', 'C/Code/User/mcp.json', 'servers', HTTP),
  json('vscode-insider', 'C/Code - Insiders/User/mcp.json', 'servers', HTTP),
  json('vscode-server', '.vscode-server/data/User/mcp.json', 'servers', undefined),
  json('cursor', '.cursor/mcp.json', 'mcpServers', HTTP),
  json('claude-code', '.claude.json', 'mcpServers', HTTP),
  {
    id: 'claude-desktop',
    file: 'C/Claude/claude_desktop_config.json',
    form: 'json-map',
    servers: 'mcpServers',
    url: undefined,
    type: undefined,
  },
  json(
    'cline',
    'C/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    'mcpServers',
    {
      ...HTTP,
      'streamable-http': 'streamableHttp',
    },
  ),
  json(
    'roo-code',
    'C/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
    'mcpServers',
    {
      ...HTTP,
      'streamable-http': 'streamable-http',
    },
  ),
  json('windsurf', '.codeium/windsurf/mcp_config.json', 'mcpServers', HTTP, sameUrl('serverUrl')),
  json('windsurf-jetbrains', '.codeium/mcp_config.json', 'mcpServers', HTTP, sameUrl('serverUrl')),
  json('amp-cli', '.config/amp/settings.json', 'amp.mcpServers', HTTP),
  json('lm-studio', '.lmstudio/mcp.json', 'mcpServers', HTTP),
  json('trae', 'C/Trae/User/mcp.json', 'mcpServers', undefined),
  json('kiro', '.kiro/settings/mcp.json', 'mcpServers', undefined),
  json('antigravity', '.gemini/antigravity/mcp_config.json', 'mcpServers', undefined, sameUrl('serverUrl')),
  json('gemini-cli', '.gemini/settings.json', 'mcpServers', undefined, {
    'streamable-http': 'httpUrl',
    sse: 'url',
  }),
  json('zed', '.config/zed/settings.json', 'context_servers', undefined),
  json('opencode', '.config/opencode/opencode.json', 'mcp', {
    key: 'type',
    'streamable-http': 'remote',
    sse: 'remote',
  }),
  json('kimi-cli', '.kimi/mcp.json', 'mcpServers', undefined),
  json('factory', '.factory/mcp.json', 'mcpServers', HTTP),
  json('copilot-cli', '.copilot/mcp-config.json', 'mcpServers', HTTP),
  json('qoder', '.qoder/mcp.json', 'mcpServers', HTTP),
  {
    id: 'goose',
    file: '.config/goose/config.yaml',
    form: 'yaml-map',
    servers: 'extensions',
    url: sameUrl('uri'),
    type: { key: 'type', 'streamable-http': 'streamable_http', sse: 'sse' },
    extra: { name: 'NAME', enabled: true, timeout: 60, description: '' },
  },
  {
    id: 'continue',
    file: '.continue/config.yaml',
    form: 'yaml-list',
    servers: 'mcpServers',
    url: URL_FIELD,
    type: { key: 'type', 'streamable-http': 'streamable-http', sse: 'sse' },
    extra: { name: 'NAME' },
  },
  {
    id: 'mistral-vibe',
    file: '.vibe/config.toml',
    form: 'toml-list',
    servers: 'mcp_servers',
    url: URL_FIELD,
    type: { key: 'transport', 'streamable-http': 'streamable-http', sse: 'http' },
    extra: { name: 'NAME' },
  },
  {
    id: 'codex',
    file: '.codex/config.toml',
    form: 'toml-map',
    servers: 'mcp_servers',
    url: URL_FIELD,
    type: undefined,
  },
];

/** Throws ERR_CLIENT_UNKNOWN with the names that there are. */
export function getClient(id: string): ClientProgram {
  const client = CLIENTS.find((one) => one.id === id);
  if (client === undefined) {
    throw clientUnknown(
      id,
      CLIENTS.map((one) => one.id),
    );
  }
  return client;
}

function json(
  id: string,
  file: string,
  servers: string,
  type: TypeLabels | undefined,
  url: ClientProgram['url'] = URL_FIELD,
): ClientProgram {
  return { id, file, form: 'json-map', servers, url, type };
}

function sameUrl(field: string): NonNullable<ClientProgram['url']> {
  return { 'streamable-http': field, sse: field };
}
