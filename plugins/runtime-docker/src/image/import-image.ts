import { Readable } from 'node:stream';
import type { ImportImageOptions } from '@portolan/plugin-api';
import type { EngineClient } from '../engine/engine-client.ts';
import { isConnectionError, statusOf, wordsOf } from '../engine/engine-fault.ts';
import { importFailed } from '../errors.ts';
import { parseImageReference } from './image-reference.ts';
import { readImageStream } from './image-stream.ts';

/** Imports an archive as an image with one layer. Throws ERR_IMAGE_BUILD. */
export async function importImage(
  client: EngineClient,
  archive: AsyncIterable<Uint8Array>,
  options: ImportImageOptions & { readonly podman: boolean },
): Promise<void> {
  const { reference, signal } = options;
  const { name, tag } = parseImageReference(reference);
  // The tag is part of the name, because Podman ignores a separate tag.
  const query = { repo: `${name}:${tag ?? 'latest'}`, changes: importChanges(options) };
  const run = async (): Promise<void> => {
    const stream = await client.docker.importImage(Readable.from(archive), {
      ...query,
      ...(signal === undefined ? {} : { abortSignal: signal }),
    });
    // node:http's response; dockerode declares only its base type
    for await (const line of readImageStream(stream as Readable)) {
      if (line.line === 'failure') throw importFailed(reference, line.reason, new Error(line.reason));
    }
  };
  await client.call('import an image', run, {
    signal,
    translate: (error) =>
      statusOf(error) === undefined && isConnectionError(error)
        ? undefined
        : importFailed(reference, wordsOf(error), error),
  });
}

/** Returns the image's settings as Dockerfile lines, as the engine expects. Podman takes values literally. */
export function importChanges(options: ImportImageOptions & { readonly podman: boolean }): readonly string[] {
  const { entrypoint, environment = {}, user, workingDirectory, labels = {}, reference, podman } = options;
  const quote = (text: string): string => {
    if (/[\n\r\0]/.test(text)) throw importFailed(reference, 'a setting holds a line break', undefined);
    return podman ? text : `"${text.replaceAll(/["\\$]/g, String.raw`\$&`)}"`;
  };
  return [
    ...(entrypoint === undefined ? [] : [`ENTRYPOINT ${JSON.stringify(entrypoint)}`]),
    ...Object.entries(environment).map(([name, value]) => `ENV ${name}=${quote(value)}`),
    ...Object.entries(labels).map(([name, value]) => `LABEL ${quote(name)}=${quote(value)}`),
    ...(user === undefined ? [] : [`USER ${user}`]),
    ...(workingDirectory === undefined ? [] : [`WORKDIR ${workingDirectory}`]),
  ];
}
