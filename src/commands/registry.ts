/** The registry of commands, which is the only list of them. */
import { batch } from './bulk/batch.ts';
import { conkeys } from './bulk/conkeys.ts';
import { getall } from './bulk/getall.ts';
import { putall } from './bulk/putall.ts';
import { rmvall } from './bulk/rmvall.ts';
import { cache } from './cache/cache.ts';
import { cachelist } from './cache/cachelist.ts';
import { clear } from './cache/clear.ts';
import { destcache } from './cache/destcache.ts';
import { getorcreate } from './cache/getorcreate.ts';
import { metadata } from './cache/metadata.ts';
import { size } from './cache/size.ts';
import { activate } from './cluster/activate.ts';
import { active } from './cluster/active.ts';
import { baseline } from './cluster/baseline.ts';
import { currentstate } from './cluster/currentstate.ts';
import { dataregion } from './cluster/dataregion.ts';
import { deactivate } from './cluster/deactivate.ts';
import { inactive } from './cluster/inactive.ts';
import { name } from './cluster/name.ts';
import { node } from './cluster/node.ts';
import { setstate } from './cluster/setstate.ts';
import { state } from './cluster/state.ts';
import { top } from './cluster/top.ts';
import type { RegisteredCommand } from './command.ts';
import { counterpersist } from './counter/counterpersist.ts';
import { counterttl } from './counter/counterttl.ts';
import { decr } from './counter/decr.ts';
import { incr } from './counter/incr.ts';
import { add } from './entry/add.ts';
import { append } from './entry/append.ts';
import { cas } from './entry/cas.ts';
import { conkey } from './entry/conkey.ts';
import { get } from './entry/get.ts';
import { getput } from './entry/getput.ts';
import { getputifabs } from './entry/getputifabs.ts';
import { getrep } from './entry/getrep.ts';
import { getrmv } from './entry/getrmv.ts';
import { persist } from './entry/persist.ts';
import { prepend } from './entry/prepend.ts';
import { put } from './entry/put.ts';
import { putifabs } from './entry/putifabs.ts';
import { rep } from './entry/rep.ts';
import { repval } from './entry/repval.ts';
import { rmv } from './entry/rmv.ts';
import { rmvval } from './entry/rmvval.ts';
import { ttl } from './entry/ttl.ts';
import { updatettl } from './entry/updatettl.ts';
import { qrycls } from './query/qrycls.ts';
import { qryexe } from './query/qryexe.ts';
import { qryfetch } from './query/qryfetch.ts';
import { qryfldexe } from './query/qryfldexe.ts';
import { qrykill } from './query/qrykill.ts';
import { qryscanexe } from './query/qryscanexe.ts';
import { savedqueryadd } from './savedquery/savedqueryadd.ts';
import { savedqueryget } from './savedquery/savedqueryget.ts';
import { savedquerylist } from './savedquery/savedquerylist.ts';
import { savedqueryrmv } from './savedquery/savedqueryrmv.ts';
import { savedqueryupdate } from './savedquery/savedqueryupdate.ts';
import { backup } from './server/backup.ts';
import { backups } from './server/backups.ts';
import { backupverify } from './server/backupverify.ts';
import { config } from './server/config.ts';
import { drain } from './server/drain.ts';
import { dryrun } from './server/dryrun.ts';
import { log } from './server/log.ts';
import { metricshistory } from './server/metricshistory.ts';
import { noop } from './server/noop.ts';
import { probe } from './server/probe.ts';
import { version } from './server/version.ts';
import { exe } from './task/exe.ts';
import { res } from './task/res.ts';
import { taskkill } from './task/taskkill.ts';
import { tasklist } from './task/tasklist.ts';
import { changefeed } from './transfer/changefeed.ts';
import { exportRows } from './transfer/export.ts';
import { importRows } from './transfer/import.ts';
import { importrmv } from './transfer/importrmv.ts';
import { importstate } from './transfer/importstate.ts';
import { watch } from './transfer/watch.ts';
import { adduser } from './user/adduser.ts';
import { apikeyadd } from './user/apikeyadd.ts';
import { apikeylist } from './user/apikeylist.ts';
import { apikeyrmv } from './user/apikeyrmv.ts';
import { apikeyrotate } from './user/apikeyrotate.ts';
import { authenticate } from './user/authenticate.ts';
import { removeuser } from './user/removeuser.ts';
import { roleadd } from './user/roleadd.ts';
import { roleassign } from './user/roleassign.ts';
import { rolelist } from './user/rolelist.ts';
import { rolermv } from './user/rolermv.ts';
import { roleupdate } from './user/roleupdate.ts';
import { sessionlist } from './user/sessionlist.ts';
import { sessionrmv } from './user/sessionrmv.ts';
import { updateuser } from './user/updateuser.ts';
import { userlist } from './user/userlist.ts';

export const COMMANDS: readonly RegisteredCommand[] = [
  activate,
  active,
  add,
  adduser,
  apikeyadd,
  apikeylist,
  apikeyrmv,
  apikeyrotate,
  append,
  authenticate,
  backup,
  backups,
  backupverify,
  baseline,
  batch,
  cache,
  cachelist,
  cas,
  changefeed,
  clear,
  config,
  conkey,
  conkeys,
  counterpersist,
  counterttl,
  currentstate,
  dataregion,
  deactivate,
  decr,
  destcache,
  drain,
  dryrun,
  exe,
  exportRows,
  get,
  getall,
  getorcreate,
  getput,
  getputifabs,
  getrep,
  getrmv,
  importRows,
  importrmv,
  importstate,
  inactive,
  incr,
  log,
  metadata,
  metricshistory,
  name,
  node,
  noop,
  persist,
  prepend,
  probe,
  put,
  putall,
  putifabs,
  qrycls,
  qryexe,
  qryfetch,
  qryfldexe,
  qrykill,
  qryscanexe,
  removeuser,
  rep,
  repval,
  res,
  rmv,
  rmvall,
  rmvval,
  roleadd,
  roleassign,
  rolelist,
  rolermv,
  roleupdate,
  savedqueryadd,
  savedqueryget,
  savedquerylist,
  savedqueryrmv,
  savedqueryupdate,
  sessionlist,
  sessionrmv,
  setstate,
  size,
  state,
  taskkill,
  tasklist,
  top,
  ttl,
  updatettl,
  updateuser,
  userlist,
  version,
  watch,
];

const BY_NAME: ReadonlyMap<string, RegisteredCommand> = new Map(COMMANDS.map((each) => [each.name, each]));

/** Returns the command with a name in any letter case, or undefined if there is none. */
export function findCommand(name: string): RegisteredCommand | undefined {
  return BY_NAME.get(name) ?? BY_NAME.get(name.toLowerCase());
}
