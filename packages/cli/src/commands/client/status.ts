import ClientList from './list.ts';

export default class ClientStatus extends ClientList {
  static override summary = 'Alias of `client list`';
}
