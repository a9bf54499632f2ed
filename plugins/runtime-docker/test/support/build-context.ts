const BLOCK = 512;

/** A tar archive with a Dockerfile of this text, and other files. */
export async function* buildContext(
  dockerfile: string,
  files: Readonly<Record<string, string>> = {},
): AsyncGenerator<Uint8Array> {
  for (const [name, text] of Object.entries({ Dockerfile: dockerfile, ...files })) {
    const body = Buffer.from(text);
    yield header(name, body.length);
    yield body;
    yield Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function header(name: string, size: number): Uint8Array {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  bytes.write(name, 0);
  bytes.write(octal(0o755, 7), 100);
  bytes.write(octal(0, 7), 108);
  bytes.write(octal(0, 7), 116);
  bytes.write(octal(size, 11), 124);
  bytes.write(octal(0, 11), 136);
  bytes.write(' '.repeat(8), 148);
  bytes.write('0', 156);
  bytes.write('ustar', 257);
  bytes.write('00', 263);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${octal(sum, 6)} `, 148);
  return bytes;
}
