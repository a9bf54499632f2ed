import type { Readable } from 'node:stream';
import { type ImageProgress, isJsonObject } from '@portolan/plugin-api';
import { readJsonLines } from '../engine/json-lines.ts';

export type ImageLine =
  | { readonly line: 'progress'; readonly progress: ImageProgress }
  | { readonly line: 'failure'; readonly reason: string }
  | { readonly line: 'image'; readonly id: string };

type Values = Readonly<Record<string, unknown>>;

/**
 * Yields the lines of a response of the images API. A pull or build that fails later has status 200, and
 * reports the error in a line.
 */
export async function* readImageStream(stream: Readable): AsyncGenerator<ImageLine> {
  for await (const values of readJsonLines(stream)) {
    const line = readLine(values);
    if (line !== undefined) yield line;
  }
}

function readLine(values: Values): ImageLine | undefined {
  const reason = failureOf(values);
  if (reason !== undefined) return { line: 'failure', reason };
  const { aux, stream, status, id } = values;
  if (isJsonObject(aux) && typeof aux['ID'] === 'string') return { line: 'image', id: aux['ID'] };
  if (typeof stream === 'string') return { line: 'progress', progress: { step: 'output', text: stream } };
  if (typeof status !== 'string') return undefined;
  if (typeof id !== 'string' || id === '')
    return { line: 'progress', progress: { step: 'output', text: `${status}\n` } };
  const detail = isJsonObject(values['progressDetail']) ? values['progressDetail'] : {};
  const { current, total } = detail;
  return {
    line: 'progress',
    progress: {
      step: 'layer',
      layer: id,
      status,
      doneBytes: typeof current === 'number' ? current : 0,
      totalBytes: typeof total === 'number' && total > 0 ? total : undefined,
    },
  };
}

function failureOf({ error, errorDetail }: Values): string | undefined {
  if (typeof error === 'string' && error !== '') return error;
  if (isJsonObject(errorDetail) && typeof errorDetail['message'] === 'string') return errorDetail['message'];
  return undefined;
}
