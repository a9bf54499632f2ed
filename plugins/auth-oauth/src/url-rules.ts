/**
 * What is wrong with an address of a provider, in words; undefined is nothing.
 * It has to be https, since keys and tokens go through it; http is for a host on
 * this machine, named as such, or for where `allowInsecure` says so.
 */
export function findUrlProblem(text: string, allowInsecure: boolean): string | undefined {
  if (!URL.canParse(text)) return 'is no absolute address';
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return 'has a user or password in it';
  if (protocol === 'https:') return undefined;
  if (protocol !== 'http:') return `begins with ${protocol}; expected https:`;
  if (allowInsecure || LOOPBACK.has(hostname)) return undefined;
  return 'is http; expected https, since its host is not localhost, 127.0.0.1 or ::1';
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** An issuer in the form in which issuers are compared: without one slash at its end. */
export function trimIssuer(issuer: string): string {
  return issuer.endsWith('/') ? issuer.slice(0, -1) : issuer;
}
