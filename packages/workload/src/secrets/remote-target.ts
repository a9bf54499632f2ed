import { encodeInUrl, fillInlineSecrets, type RunConfig } from '@portolan/run-spec';

/**
 * Returns the URL of a remote server with its secrets filled in. Use the result only for connections.
 * `secrets` maps names of secrets to values.
 */
export function remoteTarget(
  { remote_url: url, inline_secrets: references }: Pick<RunConfig, 'remote_url' | 'inline_secrets'>,
  secrets: Readonly<Record<string, string>>,
): URL {
  return new URL(fillInlineSecrets(url, references, secrets, encodeInUrl));
}
