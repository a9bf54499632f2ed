/** Addresses that a malicious server or client could send. */
export interface ForeignReferences {
  /** Host and port of the attacker. */
  readonly elsewhere: string;
  /** Origin of the server. */
  readonly own: string;
}

/**
 * Returns references that some parser reads as the address `elsewhere`: slashes and
 * backslashes in all orders, dot segments, user information, other spellings of the
 * host, control characters. None of them may lead a request there.
 */
export function listForeignReferences({ elsewhere, own }: ForeignReferences): readonly string[] {
  const port = elsewhere.slice(elsewhere.lastIndexOf(':') + 1);
  const { host } = new URL(own);
  return [
    ...paths(elsewhere),
    ...paths(elsewhere).map((path) => own + path),
    `\\\\${elsewhere}/x`,
    `\\/${elsewhere}/x`,
    ` //${elsewhere}/x`,
    `http://${elsewhere}/x`,
    `HTTP://${elsewhere}/x`,
    `http:\\\\${elsewhere}/x`,
    `http:///${elsewhere}/x`,
    `http:/\\${elsewhere}/x`,
    `http://${host}@${elsewhere}/x`,
    `http://user:password@${elsewhere}/x`,
    `http://user:password@${host}/x`,
    `http://${elsewhere}\\@${host}/x`,
    `http://${elsewhere}#@${host}/x`,
    `https://${elsewhere}/x`,
    `ftp://${elsewhere}/x`,
    `ws://${elsewhere}/x`,
    `http://localhost:${port}/x`,
    `http://2130706433:${port}/x`,
    `http://0x7f.1:${port}/x`,
    `http://017700000001:${port}/x`,
    `http://127.1:${port}/x`,
    `http://[::ffff:127.0.0.1]:${port}/x`,
    `http://[::1]:${port}/x`,
    `http://[::ffff:7f00:1]:${port}/x`,
    `http://１２７.0.0.1:${port}/x`,
    `http://127。0。0。1:${port}/x`,
    `http://ⓛocalhost:${port}/x`,
    `http://xn--localhost-:${port}/x`,
    `\u0001//${elsewhere}/x`,
    `\ufeff//${elsewhere}/x`,
    `\u00a0//${elsewhere}/x`,
    `\t//${elsewhere}/x`,
    `ht\ttp://${elsewhere}/x`,
    'javascript:alert(1)',
    'data:text/plain,x',
    'file:///etc/passwd',
  ];
}

/** References that begin with a path, such as in a request line. */
function paths(elsewhere: string): readonly string[] {
  return [
    `//${elsewhere}/x`,
    `///${elsewhere}/x`,
    `//a//${elsewhere}/x`,
    `/\\${elsewhere}/x`,
    `/\\\\${elsewhere}/x`,
    `/.//${elsewhere}/x`,
    `/./\\${elsewhere}/x`,
    `/%2e//${elsewhere}/x`,
    `/a/..//${elsewhere}/x`,
    `/a/%2E%2E//${elsewhere}/x`,
    `/..\\/${elsewhere}/x`,
    `//user:password@${elsewhere}/x`,
    `/\t/${elsewhere}/x`,
    `/\u0000//${elsewhere}/x`,
    `//${elsewhere}?x#x`,
  ];
}

/** Returns those of the references that HTTP can carry in a request line. */
export function listForeignPaths(elsewhere: string): readonly string[] {
  return paths(elsewhere).filter((path) => /^[!-~]+$/.test(path) && !path.includes('#'));
}
