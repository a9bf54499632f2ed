import type { RegistryReader } from '@portolan/registry';
import { sendDocument } from '../responses/send-json.ts';
import { type Step, step } from '../request/route.ts';
import { baseUrl, registryUrl } from './base-url.ts';
import { openRegistries } from './open-registries.ts';

/** Lists the registries that the caller may read, with their addresses for clients. */
export function listRegistries(reader: RegistryReader, publicUrl: string | undefined): Step {
  return step('listRegistries', async (ctx) => {
    const names = await openRegistries(ctx, reader);
    const base = baseUrl(ctx, publicUrl);
    const registries = names.map((name) => ({ name, url: registryUrl(base, name) }));
    ctx.set('Vary', 'Authorization');
    sendDocument(ctx, `${JSON.stringify({ registries })}\n`, 'application/json');
  });
}
