import { expect } from 'chai';
import { OpenRequests } from '../src/responses/open-requests.ts';

describe('OpenRequests', () => {
  it('closes after the last request, including a refused one, and then refuses requests', async () => {
    const requests = new OpenRequests();
    const [answered, failed] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const first = requests.run(() => answered.promise);
    const second = requests.run(() => failed.promise).catch(String);
    let isClosed = false;
    const closed = requests.close().then(() => (isClosed = true));
    const late = await requests.run(() => Promise.reject(new Error('was asked'))).catch(String);
    expect(late).to.match(/the pages are closed/);
    answered.resolve('an answer');
    expect(await first).to.equal('an answer');
    expect(isClosed).to.equal(false);
    failed.reject(new Error('no answer'));
    expect(await second).to.equal('Error: no answer');
    await closed;
  });
});
