import type { HttpProblem } from '../request/http-errors.ts';
import type { Challenging } from '../request/request-state.ts';

export interface OauthRefusal {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const BY_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request'],
  [401, 'invalid_token'],
  [403, 'insufficient_scope'],
  [503, 'temporarily_unavailable'],
]);

export function toOauthRefusal(
  error: unknown,
  { status, headers, rpc }: HttpProblem,
  { metadata }: Challenging,
): OauthRefusal {
  const oauth = saidIn(error);
  const code = oauth.error ?? BY_STATUS.get(status) ?? 'server_error';
  return {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        name.toLowerCase() === 'www-authenticate' ? pointTo(value, metadata()) : value,
      ]),
    ),
    body: JSON.stringify({ error: code, error_description: oauth.error_description ?? rpc.message }),
  };
}

function pointTo(challenge: string, metadata: string | undefined): string {
  const bearer = /^Bearer(?: +(.*))?$/i.exec(challenge);
  if (bearer === null || metadata === undefined || /\bresource_metadata=/i.test(challenge)) return challenge;
  const parameters = [bearer[1] ?? '', `resource_metadata="${metadata.replaceAll(/["\\]/g, '\\$&')}"`];
  return `Bearer ${parameters.filter((part) => part !== '').join(', ')}`;
}

function saidIn(error: unknown): { readonly error?: string; readonly error_description?: string } {
  const oauth: unknown = error instanceof Error && 'oauth' in error ? error.oauth : undefined;
  if (typeof oauth !== 'object' || oauth === null) return {};
  const code: unknown = 'error' in oauth ? oauth.error : undefined;
  const report: unknown = 'error_description' in oauth ? oauth.error_description : undefined;
  return {
    ...(typeof code === 'string' ? { error: code } : {}),
    ...(typeof report === 'string' ? { error_description: report } : {}),
  };
}
