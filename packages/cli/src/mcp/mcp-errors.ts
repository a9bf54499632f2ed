import { nearest, PortolanError } from '@portolan/plugin-api';

/** Creates the error for an address at which no MCP server responds, or a broken connection. */
export function mcpUnreachable(where: string, why: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_MCP_UNREACHABLE', 'unavailable', `${where} does not respond: ${why}`, {
    hint: 'check that it runs (`portolan status NAME`), and that the URL is that of its MCP endpoint, which often ends in /mcp or /sse',
    cause,
  });
}

/**
 * Creates the error for a server that requires a token, or refuses the given one. The message does not show
 * the token.
 */
export function mcpUnauthorized(
  where: string,
  {
    hadToken,
    description,
    expiry,
  }: {
    readonly hadToken: boolean;
    readonly description: string | undefined;
    /** Time at which the token expired; undefined for a valid token. */
    readonly expiry: string | undefined;
  },
  cause: unknown,
): PortolanError {
  const fault = hadToken ? 'rejects the credentials' : 'requires authentication';
  const reason = description === undefined ? '' : `: ${description}`;
  return new PortolanError('ERR_MCP_UNAUTHORIZED', 'refused', `${where} ${fault}${reason}`, {
    hint:
      expiry === undefined
        ? 'send an access token with --token-file FILE, or a header with --header NAME=VALUE'
        : `the access token expired at ${expiry}: get a new one`,
    cause,
  });
}

/**
 * Creates the error for a JSON-RPC error, or a response that violates the protocol. `code` is its HTTP status or
 * JSON-RPC code. The proxy refuses requests with codes from 400 to 499, such as 429 of a rate limit.
 */
export function mcpRefused(where: string, why: string, cause: unknown, code?: number): PortolanError {
  const isRefusal = code !== undefined && code >= 400 && code <= 499;
  return new PortolanError('ERR_MCP_ANSWER', 'fault', `${where} returns an error: ${why}`, {
    hint: isRefusal
      ? '`portolan logs NAME --proxy` shows whether a policy, a webhook or a rate limit of the workload refuses the request'
      : '`portolan logs NAME` may show the cause, and `portolan logs NAME --proxy` shows that of the proxy',
    cause,
  });
}

/** Creates the error for a server that exceeds --timeout without a progress message. */
export function mcpTimeout(where: string, milliseconds: number): PortolanError {
  return new PortolanError(
    'ERR_MCP_UNREACHABLE',
    'unavailable',
    `${where} has sent nothing for ${milliseconds / 1000} s`,
    { hint: 'allow more time with --timeout' },
  );
}

/**
 * Creates the error for a request that a policy of the workload denies. With the denial id, the operator
 * finds the policy.
 */
export function mcpDenied(where: string, text: string, denialId: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_MCP_DENIED', 'refused', `${where}: ${text} (denialId ${denialId})`, {
    hint: `run \`portolan authz why ${denialId}\` on the machine of the workload to see the policy`,
    cause,
  });
}

export interface NamedOffer {
  readonly kind: 'tool' | 'prompt';
  readonly name: string;
  readonly where: string;
  /** Names that the server lists for this caller. */
  readonly listed: readonly string[];
}

/**
 * Creates the error for a tool or prompt that the server neither lists nor accepts. `text` is the reason that
 * the server states.
 */
export function mcpNameUnknown({ kind, name, where, listed }: NamedOffer, text: string): PortolanError {
  const suggestion = nearest(name, listed);
  const lists = `\`portolan mcp ${kind}s NAME\` lists them`;
  return new PortolanError(
    'ERR_NAME_UNKNOWN',
    'absent',
    `${where} lists no ${kind} named "${name}", and refuses the request: ${text}`,
    { hint: suggestion === undefined ? lists : `did you mean "${suggestion}"? ${lists}` },
  );
}

/** Creates the error for arguments that do not match the schema of the tool or prompt. Nothing was sent. */
export function mcpArgumentsInvalid(name: string, faults: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_BAD_ARGUMENT',
    'mistake',
    `"${name}" does not accept these arguments; nothing was sent:\n${faults.map((one) => `  ${one}`).join('\n')}`,
    { hint: '`portolan mcp tools NAME --format json` shows the schema of each tool' },
  );
}

/**
 * Creates the error for a server that is neither a workload nor a URL, or to which no credentials may be
 * sent.
 */
export function mcpAddressUnusable(name: string, fault: string): PortolanError {
  return new PortolanError('ERR_SERVER_ADDRESS', 'mistake', `cannot connect to "${name}": ${fault}`, {
    hint: 'name a workload of `portolan list`, or a URL such as https://mcp.acme.example/mcp',
  });
}
