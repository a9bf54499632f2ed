import { RunningPortolan, runPortolan } from '../../../support/command-line.ts';
import { freePort } from '../../../support/free-port.ts';

/** Arguments that the suite gives to a client. */
export interface ScenarioRequest {
  readonly scenario: string;
  /** URL of the server that requires a login. */
  readonly url: string;
  /** Protocol revision of the server. */
  readonly version: string;
  readonly context: {
    readonly client_id?: string;
    readonly client_secret?: string;
    readonly issuer?: string;
  };
}

export interface RemoteContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Address of the client metadata document by which the suite knows a client. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';

/** Maximum number of logins for one call (spec mcp-protocol-eras.md 5.3, point 8). */
const MAX_LOGINS = 2;

/**
 * User of `portolan run URL`: logs in at the printed address, lists and calls a tool through the workload,
 * and runs `portolan login` for missing scopes. Throws with the output of the command if it ends.
 */
export async function useRemote(asked: ScenarioRequest, name: string, context: RemoteContext): Promise<void> {
  const { client_id: clientId = DOCUMENT, client_secret: secret, issuer } = asked.context;
  const flags = [
    `--remote-auth-client-id=${clientId}`,
    `--remote-auth-callback-port=${await freePort()}`,
    ...(issuer === undefined ? [] : [`--remote-auth-issuer=${issuer}`]),
    '--remote-auth',
    '--remote-auth-skip-browser',
    '--remote-auth-timeout=2m',
    '--foreground',
  ];
  const env = {
    ...context.env,
    ...(secret === undefined ? {} : { PORTOLAN_REMOTE_OAUTH_CLIENT_SECRET: secret }),
  };
  const running = new RunningPortolan(['run', asked.url, `--name=${name}`, ...flags], {
    ...context,
    env,
  });
  try {
    await follow(running);
    const [workload = ''] = await running.printed(/^http:\S+/m);
    for (const message of messagesOf(asked.version)) await send(workload, message, name, { ...context, env });
  } finally {
    running.kill('SIGKILL'); // All files of the command are below a folder of the test.
    await running.finished;
  }
}

/** The browser: follows all redirects from the printed address. */
async function follow(running: RunningPortolan): Promise<void> {
  const [, address = ''] = await running.told(/^ {2}(https?:\S+)$/m);
  await (await fetch(address)).text();
}

interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns a list of tools and a call in the form of that revision. */
function messagesOf(version: string): readonly Message[] {
  const clientInfo = { name: 'somebody', version: '1.0.0' };
  const isModern = version >= '2026';
  const message = (method: string, params: object, more: Readonly<Record<string, string>> = {}): Message => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = isModern ? { ...params, _meta: meta } : params;
    const own = isModern ? { 'Mcp-Method': method, ...more } : {};
    const accept = 'application/json, text/event-stream';
    return {
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: body }),
      headers: {
        'Content-Type': 'application/json',
        Accept: accept,
        'MCP-Protocol-Version': version,
        ...own,
      },
    };
  };
  const greeting = { protocolVersion: version, capabilities: {}, clientInfo };
  return [
    ...(isModern ? [] : [message('initialize', greeting)]),
    message('tools/list', {}),
    message('tools/call', { name: 'test-tool', arguments: {} }, { 'Mcp-Name': 'test-tool' }),
  ];
}

/** Sends a message until it gets a response, at most as often as allowed. Logs in for missing scopes. */
async function send(
  workload: string,
  { body, headers }: Message,
  name: string,
  context: RemoteContext,
): Promise<void> {
  for (let logins = 0; ; logins += 1) {
    const answer = await fetch(workload, { method: 'POST', headers, body });
    const text = await answer.text();
    const isRefused = answer.status === 401 || text.includes('"code":403');
    if (answer.ok && !isRefused) return;
    if (!isRefused || logins === MAX_LOGINS) throw new Error(`${answer.status} ${text}`);
    const login = new RunningPortolan(['login', name], context);
    await follow(login);
    const { status, stderr } = await login.finished;
    if (status !== 0) throw new Error(stderr);
    await taken(name, context);
  }
}

/** Waits until the workload uses the login, so that it has all scopes that it knows of. */
async function taken(name: string, context: RemoteContext): Promise<void> {
  for (;;) {
    const { stdout, stderr } = await runPortolan(['status', name, '--format=json'], context);
    // SAFETY: the command prints this type.
    const { status, login } = JSON.parse(stdout === '' ? stderr : stdout) as {
      readonly status: string;
      readonly login: { readonly missing_scopes: readonly string[] };
    };
    if (status === 'running' && login.missing_scopes.length === 0) return;
  }
}
