/** A published MCP server that `npm run test:world` starts. */
export interface WorldPackage {
  /** As `portolan run` takes it. */
  readonly target: `${'npx' | 'uvx' | 'go'}://${string}`;
  /** Program of the package to start; without it, the one with the package's name. */
  readonly program?: string;
  /**
   * Arguments of the server. `FOLDER` stands for an empty folder, `REPOSITORY` for a Git repository, and `VAULT`
   * for a folder that Obsidian uses.
   */
  readonly args?: readonly string[];
  /** Environment variables; tokens are dummy values, because listing tools needs no login. */
  readonly env?: Readonly<Record<string, string>>;
  /** Tools that the server offers only where it finds a program of the host. */
  readonly hostTools?: { readonly prefix: string; readonly reason: string };
  /** Flags of `portolan run` that the documentation of the package or of Portolan names for it. */
  readonly flags?: readonly string[];
  /** Minor version of Python 3 of a package from PyPI that does not support the newest one. */
  readonly python?: number;
  /** Additional requirement of a package from PyPI, which its metadata lacks. */
  readonly requirement?: string;
  /** Call that must succeed under Portolan, for a package that starts a program of its image. */
  readonly call?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  /** Cause of a failure that the first line of its error does not name, such as a host that no test can reach. */
  readonly cause?: string;
  /** Whether continuous integration starts it too. */
  readonly isQuick?: true;
}

const TOKEN = 'dummy-token';
const HELLO_PAGE = 'data:text/html,<title>Hello</title><h1>Hello</h1>';
const MODEL_CONTEXT = 'npx://@modelcontextprotocol/server' as const;

/** Servers from npm. */
const NPM: readonly WorldPackage[] = [
  { target: `${MODEL_CONTEXT}-everything`, isQuick: true },
  { target: `${MODEL_CONTEXT}-filesystem`, args: ['FOLDER'], isQuick: true },
  { target: `${MODEL_CONTEXT}-sequential-thinking`, isQuick: true },
  { target: `${MODEL_CONTEXT}-memory`, isQuick: true },
  { target: `${MODEL_CONTEXT}-github`, env: { GITHUB_PERSONAL_ACCESS_TOKEN: TOKEN }, isQuick: true },
  { target: `${MODEL_CONTEXT}-postgres`, args: ['postgresql://nobody@127.0.0.1/none'] },
  { target: `${MODEL_CONTEXT}-slack`, env: { SLACK_BOT_TOKEN: TOKEN, SLACK_TEAM_ID: 'T0' }, isQuick: true },
  { target: `${MODEL_CONTEXT}-brave-search`, env: { BRAVE_API_KEY: TOKEN } },
  { target: `${MODEL_CONTEXT}-gitlab`, env: { GITLAB_PERSONAL_ACCESS_TOKEN: TOKEN } },
  { target: `${MODEL_CONTEXT}-google-maps`, env: { GOOGLE_MAPS_API_KEY: TOKEN } },
  { target: `${MODEL_CONTEXT}-everart`, env: { EVERART_API_KEY: TOKEN } },
  {
    target: `${MODEL_CONTEXT}-puppeteer`,
    env: { PUPPETEER_SKIP_DOWNLOAD: 'true' },
    call: { name: 'puppeteer_navigate', arguments: { url: HELLO_PAGE } },
  },
  { target: 'npx://@playwright/mcp', call: { name: 'browser_navigate', arguments: { url: HELLO_PAGE } } },
  { target: 'npx://chrome-devtools-mcp' },
  { target: 'npx://@upstash/context7-mcp', isQuick: true },
  { target: 'npx://firecrawl-mcp', env: { FIRECRAWL_API_KEY: TOKEN } },
  { target: 'npx://@notionhq/notion-mcp-server', env: { NOTION_TOKEN: TOKEN } },
  { target: 'npx://figma-developer-mcp', args: ['--stdio', '--figma-api-key=dummy-key'] },
  { target: 'npx://@sentry/mcp-server', args: ['--access-token=dummy-token'] },
  {
    target: 'npx://mongodb-mcp-server',
    hostTools: { prefix: 'atlas-local-', reason: 'a container engine' },
  },
  {
    target: 'npx://mcp-server-kubernetes',
    call: { name: 'kubectl_generic', arguments: { command: 'version', flags: { client: true } } },
  },
  { target: 'npx://@wonderwhy-er/desktop-commander' },
  { target: 'npx://n8n-mcp', env: { MCP_MODE: 'stdio', LOG_LEVEL: 'error', DISABLE_CONSOLE_OUTPUT: 'true' } },
  { target: 'npx://xcodebuildmcp', args: ['mcp'] },
  { target: 'npx://tavily-mcp', env: { TAVILY_API_KEY: TOKEN } },
  { target: 'npx://@bankless/onchain-mcp', env: { BANKLESS_API_TOKEN: TOKEN } },
  { target: 'npx://exa-mcp-server', env: { EXA_API_KEY: TOKEN } },
  { target: 'npx://@zereight/mcp-gitlab', env: { GITLAB_PERSONAL_ACCESS_TOKEN: TOKEN } },
  { target: 'npx://@circleci/mcp-server-circleci', env: { CIRCLECI_TOKEN: TOKEN } },
  { target: 'npx://@hubspot/mcp-server', env: { PRIVATE_APP_ACCESS_TOKEN: TOKEN } },
  { target: 'npx://@perplexity-ai/mcp-server', env: { PERPLEXITY_API_KEY: TOKEN } },
  { target: 'npx://@brave/brave-search-mcp-server', env: { BRAVE_API_KEY: TOKEN } },
  { target: 'npx://@gleanwork/mcp-server', env: { GLEAN_API_TOKEN: TOKEN, GLEAN_INSTANCE: 'acme' } },
  { target: 'npx://@bytebase/dbhub', args: ['--transport', 'stdio', '--demo'] },
  { target: 'npx://hyperbrowser-mcp', env: { HYPERBROWSER_API_KEY: TOKEN } },
  {
    target: 'npx://@dynatrace-oss/dynatrace-mcp-server',
    env: { DT_ENVIRONMENT: 'https://abc12345.apps.dynatrace.com', DT_PLATFORM_TOKEN: TOKEN },
  },
  { target: 'npx://@antv/mcp-server-chart' },
  { target: 'npx://@softeria/ms-365-mcp-server' },
  { target: 'npx://@browsermcp/mcp' },
  { target: 'npx://@mastra/mcp-docs-server' },
  { target: 'npx://@mobilenext/mobile-mcp' },
  { target: 'npx://@shopify/dev-mcp' },
  { target: 'npx://@google-cloud/cloud-run-mcp' },
  { target: 'npx://nx-mcp', args: ['FOLDER'] },
  { target: 'npx://@launchdarkly/mcp-server', args: ['start', '--api-key', TOKEN] },
  { target: 'npx://@drawio/mcp' },
  { target: 'npx://@azure/mcp', args: ['server', 'start'] },
  { target: 'npx://@salesforce/mcp', args: ['--orgs', 'ALLOW_ALL_ORGS', '--toolsets', 'all'] },
];

/** More popular servers from npm. */
const MORE_NPM: readonly WorldPackage[] = [
  {
    target: `${MODEL_CONTEXT}-redis`,
    args: ['redis://127.0.0.1:6379'],
    cause: 'It ends if it finds no Redis, and the tests start none.',
  },
  { target: `${MODEL_CONTEXT}-aws-kb-retrieval` },
  {
    target: 'npx://@supabase/mcp-server-supabase',
    args: ['--access-token', TOKEN],
    cause: 'It sends a request to https://api.supabase.com, which the tests cannot reach.',
  },
  {
    target: 'npx://@stripe/mcp',
    args: ['--api-key=sk_test_dummy'],
    cause: 'It forwards requests to https://mcp.stripe.com, which the tests cannot reach.',
  },
  {
    // Without network, it retries its first requests for four minutes before it responds.
    target: 'npx://@apify/actors-mcp-server',
    env: { APIFY_TOKEN: TOKEN },
    flags: ['--start-timeout', '8m'],
  },
  {
    target: 'npx://@heroku/mcp-server',
    env: { HEROKU_API_KEY: TOKEN },
    cause: 'It imports a file that newer releases of its library do not have.',
  },
  {
    target: 'npx://@elastic/mcp-server-elasticsearch',
    env: { ES_URL: 'http://127.0.0.1:9200', ES_API_KEY: TOKEN },
  },
  {
    target: 'npx://@upstash/mcp-server',
    args: ['--email', 'a@example.com', '--api-key', TOKEN],
    cause: 'It checks the key at https://api.upstash.com, which the tests cannot reach.',
  },
  {
    target: 'npx://@neondatabase/mcp-server-neon',
    args: ['start', TOKEN],
    cause: 'Its installation downloads a file from a host that the tests cannot reach.',
  },
  { target: 'npx://@mapbox/mcp-server', env: { MAPBOX_ACCESS_TOKEN: 'pk.e30.e30' } },
  {
    target: 'npx://@executeautomation/playwright-mcp-server',
    call: { name: 'playwright_navigate', arguments: { url: HELLO_PAGE, headless: true } },
  },
  { target: 'npx://@agentdeskai/browser-tools-mcp' },
  {
    target: 'npx://@benborla29/mcp-server-mysql',
    cause: 'It ends soon after its start if it finds no database, and the tests start none.',
  },
  { target: 'npx://airtable-mcp-server', env: { AIRTABLE_API_KEY: TOKEN } },
  { target: 'npx://@cyanheads/git-mcp-server', args: ['REPOSITORY'] },
  { target: 'npx://@cyanheads/pubmed-mcp-server' },
  {
    target: 'npx://@21st-dev/magic',
    args: ['API_KEY=dummy-key'],
    cause: 'It forwards requests to https://21st.dev, which the tests cannot reach.',
  },
  { target: 'npx://@tacticlaunch/mcp-linear', env: { LINEAR_API_TOKEN: TOKEN } },
  { target: 'npx://mcp-fetch-server' },
  {
    target: 'npx://@browserbasehq/mcp-server-browserbase',
    env: { BROWSERBASE_API_KEY: TOKEN, BROWSERBASE_PROJECT_ID: 'p', GEMINI_API_KEY: TOKEN },
  },
  { target: 'npx://@pinecone-database/mcp', env: { PINECONE_API_KEY: TOKEN } },
  { target: 'npx://@negokaz/excel-mcp-server' },
  { target: 'npx://@jpisnice/shadcn-ui-mcp-server' },
  { target: 'npx://shadcn', args: ['mcp'] },
  { target: 'npx://@angular/cli', program: 'ng', args: ['mcp'] },
  { target: 'npx://@eslint/mcp' },
  { target: 'npx://next-devtools-mcp' },
  {
    target: 'npx://@sveltejs/mcp',
    cause: 'It reads documents from https://svelte.dev, which the tests cannot reach.',
  },
  { target: 'npx://@microsoft/clarity-mcp-server', args: ['--clarity_api_token=dummy-token'] },
  {
    target: 'npx://@azure-devops/mcp',
    args: ['acme'],
    cause: 'It ends without output if nobody is logged in to Azure.',
  },
  { target: 'npx://@postman/postman-mcp-server', env: { POSTMAN_API_KEY: TOKEN } },
  {
    target: 'npx://@auth0/auth0-mcp-server',
    args: ['run'],
    cause: 'It ends if nobody is logged in.',
  },
  {
    target: 'npx://@sanity/mcp-server',
    env: { SANITY_API_TOKEN: TOKEN, SANITY_PROJECT_ID: 'p', SANITY_DATASET: 'd' },
    cause: 'The package is deprecated and has no program any more.',
  },
  { target: 'npx://@shortcut/mcp', env: { SHORTCUT_API_TOKEN: TOKEN } },
  { target: 'npx://@brightdata/mcp', env: { API_TOKEN: TOKEN } },
  { target: 'npx://ref-tools-mcp', env: { REF_API_KEY: TOKEN } },
  { target: 'npx://@roychri/mcp-server-asana', env: { ASANA_ACCESS_TOKEN: TOKEN } },
  { target: 'npx://@henkey/postgres-mcp-server' },
  {
    target: 'npx://@aashari/mcp-server-atlassian-jira',
    env: { ATLASSIAN_SITE_NAME: 'acme', ATLASSIAN_USER_EMAIL: 'a@example.com', ATLASSIAN_API_TOKEN: TOKEN },
  },
  { target: 'npx://@zilliz/claude-context-mcp', env: { OPENAI_API_KEY: TOKEN, MILVUS_TOKEN: TOKEN } },
  { target: 'npx://@z_ai/mcp-server', env: { Z_AI_API_KEY: TOKEN } },
  { target: 'npx://minimax-mcp-js', env: { MINIMAX_API_KEY: TOKEN } },
  { target: 'npx://@amap/amap-maps-mcp-server', env: { AMAP_MAPS_API_KEY: TOKEN } },
  { target: 'npx://@baidumap/mcp-server-baidu-map', env: { BAIDU_MAP_API_KEY: TOKEN } },
  { target: 'npx://howtocook-mcp' },
  { target: 'npx://task-master-ai' },
  { target: 'npx://mcp-obsidian', args: ['FOLDER'] },
  { target: 'npx://obsidian-mcp', args: ['VAULT'] },
  { target: 'npx://mcp-mermaid' },
  { target: 'npx://mcp-echarts' },
  { target: 'npx://firebase-tools', program: 'firebase', args: ['mcp'] },
  { target: 'npx://@netlify/mcp' },
  {
    target: 'npx://@railway/mcp-server',
    cause: 'The package is deprecated and starts no server any more.',
  },
  {
    target: 'npx://@line/line-bot-mcp-server',
    env: { CHANNEL_ACCESS_TOKEN: TOKEN, DESTINATION_USER_ID: 'u' },
  },
  { target: 'npx://@larksuiteoapi/lark-mcp', args: ['mcp', '-a', 'dummy-app', '-s', 'dummy-key'] },
  {
    target: 'npx://@browserstack/mcp-server',
    env: { BROWSERSTACK_USERNAME: 'u', BROWSERSTACK_ACCESS_KEY: TOKEN },
  },
  { target: 'npx://@currents/mcp', env: { CURRENTS_API_KEY: TOKEN } },
  { target: 'npx://dataforseo-mcp-server', env: { DATAFORSEO_USERNAME: 'u', DATAFORSEO_PASSWORD: TOKEN } },
  { target: 'npx://@delorenj/mcp-server-trello', env: { TRELLO_API_KEY: TOKEN, TRELLO_TOKEN: TOKEN } },
];

/** Servers from PyPI. */
const PYPI: readonly WorldPackage[] = [
  { target: 'uvx://mcp-server-fetch', isQuick: true },
  { target: 'uvx://mcp-server-time', isQuick: true },
  {
    target: 'uvx://mcp-server-git',
    args: ['--repository', 'REPOSITORY'],
    call: { name: 'git_status', arguments: { repo_path: '/projects' } },
  },
  { target: 'uvx://duckduckgo-mcp-server', isQuick: true },
  { target: 'uvx://arxiv-mcp-server' },
  {
    target: 'uvx://mcp-atlassian',
    env: { JIRA_URL: 'https://acme.atlassian.net', JIRA_USERNAME: 'a@example.com', JIRA_API_TOKEN: TOKEN },
  },
  { target: 'uvx://browser-use', args: ['--mcp'] },
  { target: 'uvx://blender-mcp' },
  { target: 'uvx://excel-mcp-server', args: ['stdio'] },
  { target: 'uvx://markitdown-mcp' },
  { target: 'uvx://mcp-neo4j-cypher', env: { NEO4J_URI: 'bolt://127.0.0.1:7687', NEO4J_PASSWORD: TOKEN } },
  { target: 'uvx://awslabs.aws-documentation-mcp-server' },
  { target: 'uvx://awslabs.dynamodb-mcp-server', env: { AWS_REGION: 'us-east-1' } },
  { target: 'uvx://awslabs.aws-pricing-mcp-server', env: { AWS_REGION: 'us-east-1' } },
  { target: 'uvx://mcp-alchemy', env: { DB_URL: 'sqlite:////tmp/world-alchemy.db' } },
  { target: 'uvx://serena-agent', program: 'serena', args: ['start-mcp-server'] },
  { target: 'uvx://basic-memory', args: ['mcp'] },
];

/** More popular servers from PyPI. */
const MORE_PYPI: readonly WorldPackage[] = [
  { target: 'uvx://mcp-server-sqlite', args: ['--db-path', '/tmp/world.db'], requirement: 'mcp<2' },
  { target: 'uvx://mcp-server-motherduck', args: ['--db-path', ':memory:', '--read-write'] },
  { target: 'uvx://kagimcp', env: { KAGI_API_KEY: TOKEN }, python: 12 },
  { target: 'uvx://mcp-obsidian', env: { OBSIDIAN_API_KEY: TOKEN } },
  {
    target: 'uvx://chroma-mcp',
    args: ['--client-type', 'ephemeral'],
    cause: 'Its newest dependencies do not fit together.',
  },
  {
    target: 'uvx://awslabs.aws-api-mcp-server',
    env: { AWS_REGION: 'us-east-1' },
    cause: 'It reads a document from amazonaws.com, which the tests cannot reach.',
  },
  { target: 'uvx://awslabs.aws-iac-mcp-server' },
  { target: 'uvx://awslabs.cloudwatch-mcp-server', env: { AWS_REGION: 'us-east-1' } },
  { target: 'uvx://awslabs.postgres-mcp-server' },
  {
    target: 'uvx://minimax-mcp',
    env: { MINIMAX_API_KEY: TOKEN, MINIMAX_API_HOST: 'https://api.minimax.io' },
  },
  { target: 'uvx://elevenlabs-mcp', env: { ELEVENLABS_API_KEY: TOKEN } },
  { target: 'uvx://redis-mcp-server', args: ['--url', 'redis://127.0.0.1:6379/0'] },
  {
    target: 'uvx://postgres-mcp',
    args: ['postgresql://nobody@127.0.0.1/none'],
    requirement: 'mcp<2',
    cause: 'It ends if it finds no database, and the tests start none.',
  },
  {
    target: 'uvx://mysql-mcp-server',
    program: 'mysql_mcp_server',
    env: { MYSQL_USER: 'u', MYSQL_PASSWORD: TOKEN, MYSQL_DATABASE: 'd' },
  },
  {
    target: 'uvx://mcp-clickhouse',
    env: { CLICKHOUSE_HOST: '127.0.0.1', CLICKHOUSE_USER: 'u', CLICKHOUSE_PASSWORD: TOKEN },
  },
  { target: 'uvx://workspace-mcp', env: { GOOGLE_OAUTH_CLIENT_ID: 'c', GOOGLE_OAUTH_CLIENT_SECRET: TOKEN } },
  { target: 'uvx://analytics-mcp' },
  { target: 'uvx://office-word-mcp-server', program: 'word_mcp_server' },
  { target: 'uvx://office-powerpoint-mcp-server', program: 'ppt_mcp_server', requirement: 'mcp<2' },
  { target: 'uvx://mcp-server-calculator' },
  {
    target: 'uvx://mcp-simple-arxiv',
    cause: 'It installs PyTorch with CUDA, which is larger than the default of `build.image_size`.',
  },
  { target: 'uvx://yfmcp' },
  { target: 'uvx://code-index-mcp' },
  { target: 'uvx://jupyter-mcp-server', args: ['start', '--transport', 'stdio'] },
  { target: 'uvx://ableton-mcp' },
  {
    target: 'uvx://zotero-mcp-server',
    program: 'zotero-mcp',
    env: { ZOTERO_API_KEY: TOKEN, ZOTERO_LIBRARY_ID: '1' },
  },
  { target: 'uvx://paper-search-mcp', requirement: 'mcp<2' },
  { target: 'uvx://mcp-server-tree-sitter', requirement: 'mcp<2' },
  { target: 'uvx://mcp-nixos' },
  { target: 'uvx://wikipedia-mcp' },
  {
    target: 'uvx://mcp-pandoc',
    call: {
      name: 'convert-contents',
      arguments: { contents: '# Hello', input_format: 'markdown', output_format: 'html' },
    },
  },
];

const PROXY_REFUSES = 'The module proxy that the tests can reach refuses the module with status 403.';

/** Servers from the Go module proxy. */
const GO: readonly WorldPackage[] = [
  { target: 'go://github.com/mark3labs/mcp-go/examples/everything' },
  { target: 'go://github.com/modelcontextprotocol/go-sdk/examples/server/everything' },
  {
    target: 'go://github.com/mark3labs/mcp-filesystem-server',
    args: ['FOLDER'],
    cause: PROXY_REFUSES,
  },
  {
    target: 'go://github.com/github/github-mcp-server/cmd/github-mcp-server',
    args: ['stdio'],
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: TOKEN },
    cause: PROXY_REFUSES,
  },
  { target: 'go://github.com/strowk/mcp-k8s-go', cause: PROXY_REFUSES },
];

/** Every package that `npm run test:world` starts, in the order in which it starts them. */
export const WORLD_PACKAGES: readonly WorldPackage[] = [...NPM, ...PYPI, ...GO, ...MORE_NPM, ...MORE_PYPI];
