import { expect } from 'chai';
import { isTenantless, namesTenantTemplate } from '../src/tenant-template.ts';

const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47';

describe('isTenantless (codex 38973)', () => {
  for (const issuer of [
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/common/v2.0/',
    'https://login.microsoftonline.com/organizations/v2.0',
    'https://login.microsoftonline.com/consumers/v2.0',
    'https://login.microsoftonline.com/Common/',
    'https://login.microsoftonline.us/common',
    'https://sts.windows.net/common/',
    'http://127.0.0.1:8080/common/v2.0',
  ]) {
    it(`returns true for ${issuer}`, () => {
      expect(isTenantless(issuer)).to.equal(true);
    });
  }

  for (const issuer of [
    `https://login.microsoftonline.com/${TENANT}/v2.0`,
    'https://login.microsoftonline.com/acme.example/v2.0',
    'https://sso.acme.example/common',
    'https://sso.acme.example/realms/common/v2.0',
    'https://sso.acme.example/commons/v2.0',
    'no address',
  ]) {
    it(`returns false for ${issuer}`, () => {
      expect(isTenantless(issuer)).to.equal(false);
    });
  }
});

describe('namesTenantTemplate', () => {
  it('returns whether an issuer has a placeholder for the tenant', () => {
    const issuers = ['https://login.microsoftonline.com/{tenantid}/v2.0', `https://id.example/${TENANT}`, 7];
    expect(issuers.map(namesTenantTemplate)).to.deep.equal([true, false, false]);
  });
});
