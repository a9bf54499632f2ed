import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

/** Transport by which a client reaches a server. With `stdio`, it starts a command. */
export type EntryTransport = 'streamable-http' | 'sse' | 'stdio';

export type EntryValue = string | number | boolean | readonly string[];

/** Fields of an entry for one transport, with `PLACEHOLDERS` for the workload's values. */
export type EntryTemplate = Readonly<Record<string, EntryValue>>;

/** Values of a template that `entryFor` replaces. */
export const PLACEHOLDERS = {
  name: '{name}',
  url: '{url}',
  command: '{command}',
  args: ['{args}'],
  words: ['{words}'],
} as const;

/**
 * A configuration file from which one form of a client, such as the editor or the command line, reads its MCP
 * servers.
 */
export interface ClientFile {
  readonly form: 'editor' | 'desktop app' | 'command line';
  /**
   * Path below the home folder. A first segment `C` means the operating system's configuration folder. A
   * first segment `X` means the configuration folder of the XDG Base Directory Specification, which some
   * clients use on every system.
   */
  readonly path: string;
  /**
   * Path whose existence shows that this form of the client is installed, in the same notation as `path`.
   * Default: the folder of the file.
   */
  readonly sign?: string;
  /**
   * Program and version with which reading a workload from this file was tested. Absent when the program
   * could not be run for a test.
   */
  readonly tried?: string;
}

export interface ClientProgram {
  readonly id: string;
  readonly files: readonly ClientFile[];
  /** `map`: servers by name. `list`: list of servers that have a field `name`. */
  readonly format: 'json-map' | 'yaml-map' | 'yaml-list' | 'toml-map' | 'toml-list';
  /** Top-level key of the document that holds the servers. */
  readonly servers: string;
  /** Entry templates by transport. Every client supports stdio. */
  readonly entries: Readonly<
    Partial<Record<EntryTransport, EntryTemplate>> & { readonly stdio: EntryTemplate }
  >;
  /**
   * Templates of entries that earlier versions of Portolan wrote, so that these entries are recognized as
   * Portolan's.
   */
  readonly former?: readonly EntryTemplate[];
}

const { name: NAME, url: URL_VALUE, command: COMMAND, args: ARGS, words: WORDS } = PLACEHOLDERS;
const STDIO = { command: COMMAND, args: ARGS };
const NAMED = { name: NAME };
const GOOSE = { name: NAME, enabled: true, timeout: 60, description: '' };
const ALL_TOOLS = { tools: ['*'] };

export const CLIENTS: readonly ClientProgram[] = [
  json('vscode', [editor('C/Code/User/mcp.json')], 'servers', typed('http')),
  json('vscode-insider', [editor('C/Code - Insiders/User/mcp.json')], 'servers', typed('http')),
  json('vscode-server', [editor('.vscode-server/data/User/mcp.json')], 'servers', untyped('url')),
  json('cursor', [editor('.cursor/mcp.json')], 'mcpServers', typed('http')),
  json('claude-code', [commandLine('.claude.json', 'claude-code 2.1.332')], 'mcpServers', typed('http')),
  json(
    'claude-desktop',
    [{ form: 'desktop app', path: 'C/Claude/claude_desktop_config.json' }],
    'mcpServers',
    {},
  ),
  json(
    'cline',
    [
      {
        form: 'editor',
        path: 'C/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
        sign: 'C/Code/User/globalStorage/saoudrizwan.claude-dev',
      },
      {
        form: 'command line',
        path: '.cline/data/settings/cline_mcp_settings.json',
        sign: '.cline',
        tried: 'cline 3.0.65',
      },
    ],
    'mcpServers',
    typed('streamableHttp'),
  ),
  json(
    'roo-code',
    [editor('C/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json')],
    'mcpServers',
    typed('streamable-http'),
  ),
  json('windsurf', [editor('.codeium/windsurf/mcp_config.json')], 'mcpServers', typed('http', 'serverUrl')),
  json('windsurf-jetbrains', [editor('.codeium/mcp_config.json')], 'mcpServers', typed('http', 'serverUrl')),
  json('amp-cli', [commandLine('X/amp/settings.json')], 'amp.mcpServers', typed('http')),
  json('lm-studio', [{ form: 'desktop app', path: '.lmstudio/mcp.json' }], 'mcpServers', typed('http')),
  json('trae', [editor('C/Trae/User/mcp.json')], 'mcpServers', untyped('url')),
  json('kiro', [editor('.kiro/settings/mcp.json')], 'mcpServers', untyped('url')),
  json('antigravity', [editor('.gemini/antigravity/mcp_config.json')], 'mcpServers', untyped('serverUrl')),
  {
    ...json(
      'gemini-cli',
      [commandLine('.gemini/settings.json', 'gemini-cli 0.61.0')],
      'mcpServers',
      typed('http'),
    ),
    former: [{ httpUrl: URL_VALUE }, { url: URL_VALUE }],
  },
  json('zed', [editor('X/zed/settings.json')], 'context_servers', {
    'streamable-http': { url: URL_VALUE },
  }),
  json('opencode', [commandLine('X/opencode/opencode.json', 'opencode 1.18.33')], 'mcp', {
    'streamable-http': { url: URL_VALUE, type: 'remote' },
    sse: { url: URL_VALUE, type: 'remote' },
    stdio: { type: 'local', command: WORDS },
  }),
  {
    // Kimi Code replaces Kimi CLI, which is still in use.
    ...json('kimi-cli', [commandLine('.kimi-code/mcp.json'), commandLine('.kimi/mcp.json')], 'mcpServers', {
      'streamable-http': { url: URL_VALUE, transport: 'http' },
      sse: { url: URL_VALUE, transport: 'sse' },
    }),
    former: [{ url: URL_VALUE }],
  },
  json('factory', [commandLine('.factory/mcp.json', 'droid 0.215.0')], 'mcpServers', typed('http')),
  {
    ...json('copilot-cli', [commandLine('.copilot/mcp-config.json', 'copilot 1.0.102')], 'mcpServers', {
      'streamable-http': { url: URL_VALUE, type: 'http', ...ALL_TOOLS },
      sse: { url: URL_VALUE, type: 'sse', ...ALL_TOOLS },
      stdio: { type: 'local', ...STDIO, ...ALL_TOOLS },
    }),
    former: [
      { url: URL_VALUE, type: 'http' },
      { url: URL_VALUE, type: 'sse' },
    ],
  },
  json(
    'qoder',
    [editor('.qoder/mcp.json'), commandLine('.qoder/settings.json', 'qodercli 1.1.52')],
    'mcpServers',
    typed('http'),
  ),
  {
    id: 'goose',
    files: [commandLine('X/goose/config.yaml')],
    format: 'yaml-map',
    servers: 'extensions',
    entries: {
      'streamable-http': { ...GOOSE, uri: URL_VALUE, type: 'streamable_http' },
      stdio: { ...GOOSE, cmd: COMMAND, args: ARGS, type: 'stdio' },
    },
    former: [{ ...GOOSE, uri: URL_VALUE, type: 'sse' }],
  },
  {
    id: 'continue',
    files: [editor('.continue/config.yaml')],
    format: 'yaml-list',
    servers: 'mcpServers',
    entries: {
      'streamable-http': { ...NAMED, url: URL_VALUE, type: 'streamable-http' },
      sse: { ...NAMED, url: URL_VALUE, type: 'sse' },
      stdio: { ...NAMED, ...STDIO, type: 'stdio' },
    },
  },
  {
    id: 'mistral-vibe',
    files: [commandLine('.vibe/config.toml', 'mistral-vibe 3.0.2')],
    format: 'toml-list',
    servers: 'mcp_servers',
    entries: {
      'streamable-http': { ...NAMED, url: URL_VALUE, transport: 'streamable-http' },
      stdio: { ...NAMED, transport: 'stdio', ...STDIO },
    },
    former: [{ ...NAMED, url: URL_VALUE, transport: 'http' }],
  },
  {
    id: 'codex',
    files: [commandLine('.codex/config.toml', 'codex 0.171.0')],
    format: 'toml-map',
    servers: 'mcp_servers',
    entries: { 'streamable-http': { url: URL_VALUE }, stdio: STDIO },
  },
];

/** Returns the client with this id. Throws ERR_BAD_ARGUMENT. */
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

/** Returns the workload's transport, or stdio if the client does not support it. */
export function transportFor(client: ClientProgram, requested: 'streamable-http' | 'sse'): EntryTransport {
  return client.entries[requested] === undefined ? 'stdio' : requested;
}

function json(
  id: string,
  files: readonly ClientFile[],
  servers: string,
  entries: Partial<ClientProgram['entries']>,
): ClientProgram {
  return { id, files, format: 'json-map', servers, entries: { stdio: STDIO, ...entries } };
}

function editor(path: string): ClientFile {
  return { form: 'editor', path };
}

function commandLine(path: string, tried?: string): ClientFile {
  return { form: 'command line', path, ...(tried === undefined ? {} : { tried }) };
}

/** Returns the entries of a client that distinguishes the HTTP transports by the field `type`. */
function typed(http: string, urlField = 'url'): Partial<ClientProgram['entries']> {
  return {
    'streamable-http': { [urlField]: URL_VALUE, type: http },
    sse: { [urlField]: URL_VALUE, type: 'sse' },
  };
}

/** Returns the entries of a client that detects the HTTP transport of a URL by itself. */
function untyped(urlField: string): Partial<ClientProgram['entries']> {
  return { 'streamable-http': { [urlField]: URL_VALUE }, sse: { [urlField]: URL_VALUE } };
}

function clientUnknown(id: string, known: readonly string[]): PortolanError {
  return new PortolanError('ERR_BAD_ARGUMENT', 'mistake', `There is no client ${quote(id)}.`, {
    hint: `Clients are ${known.join(', ')}.`,
  });
}
