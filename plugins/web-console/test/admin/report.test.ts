import { expect } from 'chai';
import { report } from '../../src/admin/explain/report.ts';

describe('report', () => {
  it('N9 › calls a caller without a token anonymous', () => {
    const page = JSON.stringify(
      report({ mode: 'auth-only', caller: null, roles: [] }, { at: (path) => path }),
    );
    expect(page).to.include('anonymous').and.not.to.include('nobody');
  });

  it('N8 › shows the notes of the explanation', () => {
    const notes = ['The filter of source "s" takes no entry of this name.'];
    const page = report({ mode: 'full', caller: null, roles: [], notes }, { at: (path) => path });
    expect(JSON.stringify(page)).to.include('The filter of source');
  });
});
