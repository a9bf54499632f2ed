import { contentEncodingUnsupported, contentTypeUnsupported, messageTooLarge } from '../errors.ts';
import type { Middleware, RequestContext } from '../request-state.ts';

/** Reads the body whole. That of a POST has to be JSON, uncompressed: servers read it whatever the header says. */
export function readBody(mostBytes: number): Middleware {
  return async (ctx, next) => {
    if (Number(ctx.get('Content-Length')) > mostBytes) throw messageTooLarge(mostBytes);
    if (ctx.method === 'POST') checkType(ctx);
    if (hasBody(ctx)) ctx.state.body = await collect(ctx, mostBytes);
    await next();
  };
}

function hasBody({ req }: RequestContext): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

function checkType(ctx: RequestContext): void {
  const encoding = ctx.get('Content-Encoding').trim();
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') throw contentEncodingUnsupported(encoding);
  const type = ctx.get('Content-Type');
  const [mediaType = ''] = type.split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json') throw contentTypeUnsupported(type);
}

async function collect({ req }: RequestContext, mostBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= mostBytes) {
        chunks.push(chunk);
        return;
      }
      req.off('data', take);
      reject(messageTooLarge(mostBytes));
    };
    req.on('data', take);
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', reject);
    req.once('close', () => reject(new Error('the client left before its message was complete')));
  });
}
