import { expect } from 'chai';
import fc from 'fast-check';
import { FrameReader } from '../src/container/frame-reader.ts';

function frame(stream: 'stdout' | 'stderr', bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream === 'stderr' ? 2 : 1;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

describe('FrameReader', () => {
  it('separates the streams for any chunk boundaries', () => {
    const frames = fc.array(
      fc.record({
        stream: fc.constantFrom('stdout' as const, 'stderr' as const),
        bytes: fc.uint8Array({ maxLength: 40 }),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sent, sizes) => {
        const wire = Buffer.concat(sent.map(({ stream, bytes }) => frame(stream, bytes)));
        const reader = new FrameReader();
        const got = { stdout: [] as number[], stderr: [] as number[] };
        let starts = 0;
        for (let offset = 0, turn = 0; offset < wire.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          for (const part of reader.read(wire.subarray(offset, offset + size))) {
            got[part.stream].push(...part.bytes);
            if (part.starts) starts += 1;
          }
          offset += size;
        }
        const expected = (stream: string): number[] =>
          sent.filter((one) => one.stream === stream).flatMap(({ bytes }) => [...bytes]);
        expect(got).to.deep.equal({ stdout: expected('stdout'), stderr: expected('stderr') });
        expect(starts).to.equal(sent.filter(({ bytes }) => bytes.length > 0).length);
      }),
    );
  });
});
