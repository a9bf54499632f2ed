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

/** Auth provider of unauthenticated callers, whose `Authorization` header is for the server. */
const LOCAL_USER = 'local-user';

/**
 * Gives the server a token of its own in place of the caller's, whose identity policies still use. Requests
 * without a token, or without an identity from it, are forwarded unchanged.
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
    // The token may have expired earlier than the token endpoint said, so forget it.
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

/** With a separate header, the caller's token is forwarded in `Authorization`, which is otherwise removed. */
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
