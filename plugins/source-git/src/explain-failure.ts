import type { PortolanError } from '@portolan/plugin-api';
import {
  certificateRefused,
  denied,
  fileUnusable,
  hostKeyRefused,
  redirected,
  referenceMissing,
  repositoryMissing,
  unreachable,
} from './errors.ts';
import type { GitFailure } from './start-git.ts';

/** Messages of git, curl and ssh in the language `C`; the first match counts. */
const MEANINGS: readonly (readonly [
  RegExp,
  (shown: string, cause: GitFailure, match: RegExpExecArray) => PortolanError,
])[] = [
  [/Host key verification failed|host key .* has changed/i, (_shown, cause) => hostKeyRefused(cause)],
  [
    /UNPROTECTED PRIVATE KEY|bad permissions|Load key .*(?:invalid format|error in libcrypto|Permission denied)/i,
    (_shown, cause) =>
      fileUnusable('ssh.keyFile', 'cannot be used: others may read it, or it is no private key', cause),
  ],
  [
    /error setting certificate|(?:CA|certificate) file|problem with the SSL CA cert/i,
    (_shown, cause) => fileUnusable('caCertPath', 'holds no certificates that can be used', cause),
  ],
  [/certificate/i, (_shown, cause) => certificateRefused(cause)],
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|returned error: 40[13]\b|Permission denied|Too many authentication failures/i,
    (_shown, cause) => denied(cause),
  ],
  [
    /not our ref|unadvertised object|couldn't find remote ref|no such remote ref/i,
    (shown, cause) => referenceMissing(shown, cause),
  ],
  [
    /repository '[^']*' not found|returned error: 404\b|does not appear to be a git repository|repository .*not found/i,
    (_shown, cause) => repositoryMissing(cause),
  ],
  [
    /dumb http transport/i,
    (_shown, cause) => unreachable("its server hands out files, and does not speak git's protocol", cause),
  ],
  [/returned error: 3\d\d\b|unable to update url base from redirection/, () => redirected('elsewhere')],
  [
    /HTTP code (\d{3}) from proxy|CONNECT tunnel failed, response (\d{3})|returned error: (407)\b/,
    (_shown, cause, [, old, tunnel, plain]) =>
      unreachable(`the proxy responds with status ${old ?? tunnel ?? plain ?? 'unknown'}`, cause),
  ],
  [/returned error: (\d{3})\b/, (_shown, cause, [, status]) => unreachable(`status ${status}`, cause)],
  [/could not resolve proxy/i, (_shown, cause) => unreachable('the name of the proxy is not known', cause)],
  [
    /could not resolve host|name or service not known|temporary failure in name resolution/i,
    (_shown, cause) => unreachable('its name is not known', cause),
  ],
  [
    /connection refused|failed to connect|couldn't connect|no route to host|network is unreachable/i,
    (_shown, cause) => unreachable('no connection', cause),
  ],
  [/timed out|too slow|timeout/i, (_shown, cause) => unreachable('it is too slow', cause)],
  [
    /hung up|early EOF|proxy CONNECT aborted|unexpected disconnect|unexpected eof|connection (?:closed|reset)|recv failure|empty reply|RPC failed|transfer closed|remote error|could not read from remote|TLS connect|GnuTLS/i,
    (_shown, cause) => unreachable('the connection broke', cause),
  ],
];

/**
 * Returns the error for a message of git; undefined for an unknown message. Lines about `folder`, the local
 * repository, are ignored, because its path may contain any words.
 */
export function explainFailure(
  failure: GitFailure,
  shown: string,
  folder: string,
): PortolanError | undefined {
  const lines = failure.output.split('\n').filter((line) => !line.includes(folder));
  const text = lines.join('\n');
  for (const [pattern, make] of MEANINGS) {
    const match = pattern.exec(text);
    if (match !== null) return make(shown, failure, match);
  }
  return undefined;
}
