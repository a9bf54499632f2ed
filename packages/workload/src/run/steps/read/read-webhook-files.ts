import path from 'node:path';
import { mergeWebhooks, readWebhookDocument, type RunConfig } from '@portolan/run-spec';
import { readPolicyDocument } from './read-policy-document.ts';

/** Reads the files of `--webhook-config`. Throws like `readPolicyDocument`, and ERR_SETTING. */
export async function readWebhookFiles(
  files: readonly string[],
  signal: AbortSignal,
): Promise<Partial<RunConfig>> {
  const documents = [];
  for (const file of files) {
    const document = await readPolicyDocument('file of webhooks', file, signal, 'yaml');
    documents.push(readWebhookDocument(document, file, (match) => path.resolve(path.dirname(file), match)));
  }
  return mergeWebhooks(documents);
}
