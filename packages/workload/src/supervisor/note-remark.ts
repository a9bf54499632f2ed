import type { ProxySurroundings } from '@portolan/plugin-api';
import type { Supervision } from './supervision.ts';

/** How middleware of one kind says in `status` what is wrong; it takes back only what it has said itself. */
export function noteRemark(
  { record }: Pick<Supervision, 'record'>,
  kind: string,
): ProxySurroundings['remark'] {
  let said = '';
  return (text) => {
    const before = said;
    said = text === '' ? '' : `${kind}: ${text}`;
    const notice = said;
    record.note((state) => {
      if (notice === state.notice || (notice === '' && state.notice !== before)) return state;
      return { ...state, notice };
    });
  };
}
