import type {
  ClientRequest,
  ForwardedHeader,
  ProxyMiddleware,
  ProxyMiddlewareKind,
} from '@portolan/plugin-api';
import { checkTokenExchange } from './check-token-exchange.ts';
import { clientAuthorization } from './exchange-request.ts';
import { type TokenExchangeConfig, tokenExchangeConfig } from './token-exchange-config.ts';
import { TokenExchanger } from './token-exchanger.ts';

/** Names the identity of everybody where callers prove nothing; what they send is for the server then. */
const LOCAL_USER = 'local-user';

/**
 * The server gets a token of its own in place of that of the caller, who stays the
 * one that policies judge. Who has brought none, or has not been identified by it,
 * is passed on as they are.
 */
export const tokenExchange: ProxyMiddlewareKind<typeof tokenExchangeConfig> = {
  kind: 'token-exchange',
  config: tokenExchangeConfig,
  placed: 'exchange',
  check: checkTokenExchange,
  create: async (config, context) => {
    const { client_id: id = '', client_secret: reference = '' } = config;
    const secret = reference === '' ? '' : context.secret(reference);
    const opened = await context.openFetch({
      allowPrivateAddresses: config.allow_private_ip,
      environment: context.environment,
    });
    const { logger, clock } = context;
    const authorization = clientAuthorization(id, secret);
    const { fetch } = opened;
    const exchanger = new TokenExchanger({ config, authorization, fetch, logger, clock });
    return exchanging(config, exchanger, () => opened.close());
  },
};

function exchanging(
  config: TokenExchangeConfig,
  exchanger: TokenExchanger,
  closeFetch: () => Promise<void>,
): ProxyMiddleware {
  return {
    credentials: async (_outgoing, { request, caller }) => {
      const token =
        caller === undefined || caller.provider === LOCAL_USER ? undefined : bearerTokenOf(request);
      return token === undefined ? [] : headersFor(config, await exchanger.exchange(token), token);
    },
    // The token may have been good for a shorter time than the token endpoint said.
    onEnd: ({ status, refusals }, request) => {
      const isRefused = status === 401 || refusals.some(({ code }) => code === 'ERR_WORKLOAD_REFUSED');
      const token = isRefused ? bearerTokenOf(request) : undefined;
      if (token !== undefined) exchanger.forget(token);
    },
    close: async () => {
      exchanger.close();
      await closeFetch();
    },
  };
}

function bearerTokenOf({ headers }: ClientRequest): string | undefined {
  const { authorization } = headers;
  return typeof authorization === 'string' ? /^bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1] : undefined;
}

/** With a header of its own, the caller's token goes on in `Authorization`, also where it would be left out otherwise. */
function headersFor(
  { header_strategy: strategy, external_token_header_name: name = '' }: TokenExchangeConfig,
  exchanged: string,
  brought: string,
): readonly ForwardedHeader[] {
  const value = `Bearer ${exchanged}`;
  if (strategy !== 'custom') return [{ name: 'Authorization', value }];
  return [
    { name, value },
    { name: 'Authorization', value: `Bearer ${brought}` },
  ];
}
