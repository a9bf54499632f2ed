/** Transports that an SDK has, in the order in which they are tried. */
export type SdkTransport = 'stdio' | 'sse' | 'streamable-http';

/** Language of the programs of an SDK. */
export type SdkLanguage = 'node' | 'python' | 'go' | 'rust' | 'java';

/** An SDK of which `npm run test:world` runs clients and servers. */
export interface WorldSdk {
  readonly name: string;
  readonly language: SdkLanguage;
  /** Folder below `sdks` with the programs. */
  readonly folder: string;
  /** Package of the SDK, with its version range in Python. */
  readonly package: string;
  readonly clients: readonly SdkTransport[];
  readonly servers: readonly SdkTransport[];
  /** Whether continuous integration tries it too. */
  readonly isQuick?: true;
}

const ALL = ['streamable-http', 'sse', 'stdio'] as const;

export const WORLD_SDKS: readonly WorldSdk[] = [
  {
    name: 'TypeScript SDK 1',
    language: 'node',
    folder: 'typescript-1',
    package: '@modelcontextprotocol/sdk',
    clients: ALL,
    servers: ALL,
    isQuick: true,
  },
  {
    name: 'TypeScript SDK 2',
    language: 'node',
    folder: 'typescript-2',
    package: '@modelcontextprotocol/client',
    clients: ALL,
    servers: ['streamable-http', 'stdio'],
    isQuick: true,
  },
  {
    name: 'Python SDK 1',
    language: 'python',
    folder: 'python-1',
    package: 'mcp>=1.30,<2',
    clients: ALL,
    servers: ALL,
    isQuick: true,
  },
  {
    name: 'Python SDK 2',
    language: 'python',
    folder: 'python-2',
    package: 'mcp>=2,<3',
    clients: ALL,
    servers: ALL,
    isQuick: true,
  },
  {
    name: 'FastMCP 2',
    language: 'python',
    folder: 'fastmcp',
    package: 'fastmcp>=2,<3',
    clients: ALL,
    servers: ALL,
  },
  {
    name: 'FastMCP 4',
    language: 'python',
    folder: 'fastmcp',
    package: 'fastmcp>=4,<5',
    clients: ALL,
    servers: ALL,
  },
  {
    name: 'FastMCP for npm',
    language: 'node',
    folder: 'npm-fastmcp',
    package: 'fastmcp',
    clients: [],
    servers: ['streamable-http', 'stdio'],
  },
  {
    name: 'Go SDK',
    language: 'go',
    folder: 'go-sdk',
    package: 'github.com/modelcontextprotocol/go-sdk',
    clients: ALL,
    servers: ALL,
  },
  {
    name: 'mcp-go',
    language: 'go',
    folder: 'mcp-go',
    package: 'github.com/mark3labs/mcp-go',
    clients: ALL,
    servers: ALL,
  },
  {
    name: 'Rust SDK',
    language: 'rust',
    folder: 'rust-sdk',
    package: 'rmcp',
    clients: ['streamable-http', 'stdio'],
    servers: ['streamable-http', 'stdio'],
  },
  {
    name: 'Java SDK',
    language: 'java',
    folder: 'java-sdk',
    package: 'io.modelcontextprotocol.sdk:mcp',
    clients: ALL,
    servers: ALL,
  },
];
