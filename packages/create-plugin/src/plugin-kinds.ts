/** A kind of plugin that can be created. Its templates are in `templates/NAME`. */
export interface PluginKind {
  /** Value of `--kind`, and name of the folder of its templates. */
  readonly name: string;
  readonly summary: string;
  /** Key in `contributes`. Undefined for a plugin without a kind. */
  readonly list?: string;
  /** Last part of the exported name. */
  readonly suffix: string;
  /** Templates of `src` besides `kind.ts`. */
  readonly moreFiles?: readonly string[];
  /** Development dependencies besides those of every plugin. */
  readonly needs?: Readonly<Record<string, string>>;
  /** Configuration that uses the plugin, for its README. */
  readonly use: string;
}

const KOA = { koa: '^3.0.0' };

export const PLUGIN_KINDS: readonly PluginKind[] = [
  {
    name: 'source',
    summary: 'where the entries of a registry come from',
    list: 'sources',
    suffix: 'Source',
    use: 'sources:\n  - name: catalogue\n    {{name}}: { url: "https://entries.acme.example/" }\n    syncPolicy: { interval: 30m }\nregistries:\n  - { name: main, sources: [catalogue] }\n',
  },
  {
    name: 'auth-provider',
    summary: 'how callers of a registry or a workload authenticate',
    list: 'authProviders',
    suffix: 'Auth',
    needs: KOA,
    use: 'auth:\n  mode: {{name}}\n  {{name}}: { key: "${API_KEY}", subject: ada }\n',
  },
  {
    name: 'middleware',
    summary: 'a step in the path of requests to the registry server',
    list: 'middleware',
    suffix: 'Middleware',
    needs: KOA,
    use: 'middleware:\n  {{name}}: { value: acme }\n',
  },
  {
    name: 'pages',
    summary: 'pages of the registry server for people',
    list: 'pages',
    suffix: 'Pages',
    use: 'pages:\n  {{name}}: { title: Servers }\n',
  },
  {
    name: 'telemetry',
    summary: 'where traces and metrics go',
    list: 'telemetry',
    suffix: 'Telemetry',
    moreFiles: ['tracer.ts'],
    use: 'telemetry:\n  exporter: {{name}}\n  url: "http://127.0.0.1:4390/"\n',
  },
  {
    name: 'runtime',
    summary: 'what runs the servers of workloads',
    list: 'runtimes',
    suffix: 'Runtime',
    moreFiles: ['server-process.ts'],
    use: 'runtimes:\n  {{name}}:\n    programs: { "acme/server:1": [node, server.js] }\n',
  },
  {
    name: 'transport',
    summary: 'how a server is started and exchanges messages',
    list: 'transports',
    suffix: 'Transport',
    use: 'transports:\n  {{name}}: {}\n',
  },
  {
    name: 'scheme',
    summary: 'how a package becomes an image: NAME://PACKAGE',
    list: 'schemes',
    suffix: 'Scheme',
    use: 'schemes:\n  {{name}}: { index: "https://packages.acme.example/" }\n',
  },
  {
    name: 'secret-store',
    summary: 'where secrets are kept',
    list: 'secretStores',
    suffix: 'SecretStore',
    use: 'secretStores:\n  {{name}}: { url: "https://secrets.acme.example/" }\n',
  },
  {
    name: 'proxy-middleware',
    summary: 'a policy for the messages between clients and a server',
    list: 'proxyMiddleware',
    suffix: 'Middleware',
    use: 'proxyMiddleware:\n  {{name}}: { tools: [delete_] }\n',
  },
  {
    name: 'session-store',
    summary: 'where several proxies share their sessions',
    list: 'sessionStores',
    suffix: 'SessionStore',
    use: 'sessionStores:\n  {{name}}: { maxPending: 100 }\n',
  },
  {
    name: 'outgoing-credentials',
    summary: 'how a workload authenticates to a remote server',
    list: 'outgoingCredentials',
    suffix: 'Credentials',
    use: 'outgoingCredentials:\n  {{name}}: { key: "${API_KEY}" }\n',
  },
  {
    name: 'tool-index',
    summary: 'how find_tool ranks the tools of a virtual server',
    list: 'toolIndexes',
    suffix: 'ToolIndex',
    use: 'toolIndexes:\n  {{name}}: { minWordLength: 3 }\n',
  },
  {
    name: 'hook',
    summary: 'a tap on a hook, such as a filter of entries',
    suffix: 'Tap',
    use: '',
  },
  {
    name: 'command',
    summary: 'a command of the portolan command line',
    suffix: 'Command',
    use: '',
  },
];
