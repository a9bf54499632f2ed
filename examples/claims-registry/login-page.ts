// Login page that accepts any of the listed people without a password. Do not use it for anything else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Provider } from 'oidc-provider';
import { PEOPLE, RESOURCE } from './people.ts';

/** Beginning of the login path. */
export const LOGIN_PATH = '/login/';

/** Shows the login form, and sends the choice back to the provider. */
export async function answerLogin(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(request, response);
    const person = new URLSearchParams(request.method === 'POST' ? await text(request) : '').get('person');
    if (person === null || !PEOPLE.has(person)) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page());
      return;
    }
    const grant = new provider.Grant({ accountId: person, clientId: String(params['client_id']) });
    grant.addOIDCScope('openid profile email offline_access');
    grant.addResourceScope(RESOURCE, '');
    const result = { login: { accountId: person }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result);
  } catch {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('This login is over. Begin again.\n');
  }
}

function page(): string {
  const buttons = [...PEOPLE].map(
    ([id, { claims }]) => `<p><button name="person" value="${id}">${claims.name}</button></p>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Who are you?</title>
<h1>Who are you?</h1><form method="post">${buttons.join('')}</form></html>\n`;
}
