import type { Page, PageQuery } from '@portolan/registry';
import { sendJson } from '../responses/send-json.ts';
import type { pageQuery } from '../parameters/admin-parameters.ts';
import { decodePageCursor, encodePageCursor } from '../parameters/page-cursor.ts';
import { queryValues } from '../steps/read-parameters.ts';
import type { RequestContext } from '../request/request-state.ts';

export async function sendPage(
  ctx: RequestContext,
  list: string,
  table: typeof pageQuery,
  load: (page: PageQuery) => Promise<Page<object>>,
): Promise<void> {
  const { limit, cursor } = queryValues(ctx, table);
  const { filter } = ctx.state;
  const { items, next } = await load({
    limit,
    ...(cursor === undefined ? {} : { after: decodePageCursor(list, cursor) }),
    ...(filter === undefined ? {} : { filter }),
  });
  const metadata = {
    count: items.length,
    ...(next === undefined ? {} : { nextCursor: encodePageCursor(list, next) }),
  };
  sendJson(ctx, `${JSON.stringify({ entries: items, metadata })}\n`);
}
