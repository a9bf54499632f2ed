import { expect } from 'chai';
import { report } from '../../src/admin/explain/report.ts';

describe('report', () => {
  it('N9 › names a caller without a token anonymous', () => {
    const page = JSON.stringify(
      report({ mode: 'auth-only', caller: null, roles: [] }, { at: (path) => path }),
    );
    expect(page).to.include('anonymous').and.not.to.include('nobody');
  });
});
