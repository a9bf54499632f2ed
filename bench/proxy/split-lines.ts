/** Returns a consumer of chunks that passes on complete lines, each decoded once. */
export function splitLines(take: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const last = chunk.subarray(from, end);
      take((parts.length === 0 ? last : Buffer.concat([...parts, last])).toString());
      parts = [];
      from = end + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  };
}
