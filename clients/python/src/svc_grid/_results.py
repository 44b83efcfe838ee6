"""The types of parameters and results. Generated from the declarations of the commands: npm run generate."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, TypedDict, Union

#: A value that the service returns: None, bool, int, float, Decimal, str, or a list or dict of them.
Json = Any

#: A key or a value to send.
JsonInput = Union[bool, int, float, Decimal, str, Sequence[Any], Mapping[str, Any]]


class Traits(NamedTuple):
    """How the client sends a command."""

    #: How often the request may be sent: any; keyed: with an idempotency key; once.
    repeats: Literal["any", "keyed", "once"]
    #: The response is a page, whose size the client sets if the caller does not.
    paged: bool = False


TRAITS: Mapping[str, Traits] = {
    "activate": Traits("keyed"),
    "active": Traits("keyed"),
    "add": Traits("keyed"),
    "adduser": Traits("keyed"),
    "apikeyadd": Traits("once"),
    "apikeylist": Traits("any"),
    "apikeyrmv": Traits("keyed"),
    "apikeyrotate": Traits("once"),
    "append": Traits("keyed"),
    "authenticate": Traits("once"),
    "backup": Traits("once"),
    "backups": Traits("any"),
    "backupverify": Traits("any"),
    "baseline": Traits("any"),
    "batch": Traits("keyed"),
    "cache": Traits("any"),
    "cachelist": Traits("any"),
    "cas": Traits("keyed"),
    "changefeed": Traits("keyed"),
    "clear": Traits("keyed"),
    "config": Traits("any"),
    "conkey": Traits("any"),
    "conkeys": Traits("any"),
    "counterpersist": Traits("keyed"),
    "counterttl": Traits("any"),
    "currentstate": Traits("any"),
    "dataregion": Traits("any"),
    "deactivate": Traits("keyed"),
    "decr": Traits("keyed"),
    "destcache": Traits("keyed"),
    "drain": Traits("keyed"),
    "dryrun": Traits("any"),
    "exe": Traits("keyed"),
    "get": Traits("any"),
    "getall": Traits("any"),
    "getorcreate": Traits("keyed"),
    "getput": Traits("keyed"),
    "getputifabs": Traits("keyed"),
    "getrep": Traits("keyed"),
    "getrmv": Traits("keyed"),
    "importrmv": Traits("keyed"),
    "importstate": Traits("any"),
    "inactive": Traits("keyed"),
    "incr": Traits("keyed"),
    "log": Traits("any"),
    "metadata": Traits("any"),
    "metricshistory": Traits("any"),
    "name": Traits("any"),
    "node": Traits("any"),
    "noop": Traits("any"),
    "persist": Traits("keyed"),
    "prepend": Traits("keyed"),
    "probe": Traits("any"),
    "put": Traits("keyed"),
    "putall": Traits("keyed"),
    "putifabs": Traits("keyed"),
    "qrycls": Traits("once"),
    "qryexe": Traits("any", True),
    "qryfetch": Traits("once", True),
    "qryfldexe": Traits("keyed", True),
    "qrykill": Traits("keyed"),
    "qryscanexe": Traits("any", True),
    "removeuser": Traits("keyed"),
    "rep": Traits("keyed"),
    "repval": Traits("keyed"),
    "res": Traits("any"),
    "rmv": Traits("keyed"),
    "rmvall": Traits("keyed"),
    "rmvval": Traits("keyed"),
    "roleadd": Traits("keyed"),
    "roleassign": Traits("keyed"),
    "rolelist": Traits("any"),
    "rolermv": Traits("keyed"),
    "roleupdate": Traits("keyed"),
    "sessionlist": Traits("any"),
    "sessionrmv": Traits("keyed"),
    "setstate": Traits("keyed"),
    "size": Traits("any"),
    "state": Traits("any"),
    "taskkill": Traits("keyed"),
    "tasklist": Traits("any"),
    "top": Traits("any"),
    "ttl": Traits("any"),
    "updatettl": Traits("keyed"),
    "updateuser": Traits("keyed"),
    "userlist": Traits("any"),
    "version": Traits("any"),
}


class ApikeyaddResult(TypedDict):
    id: str
    name: str
    user: str
    key: str
    expiresAt: Optional[str]
    overlapUntil: Optional[str]


class ApikeylistResult(TypedDict):
    id: str
    name: str
    user: str
    scope: Optional[Dict[str, Json]]
    addresses: Optional[List[str]]
    rate: Optional[str]
    createdBy: str
    createdAt: str
    rotatedAt: Optional[str]
    overlapUntil: Optional[str]
    expiresAt: Optional[str]
    expired: bool
    lastUsedAt: Optional[str]


class ApikeyrotateResult(TypedDict):
    id: str
    name: str
    user: str
    key: str
    expiresAt: Optional[str]
    overlapUntil: Optional[str]


class BackupResultRegions(TypedDict):
    name: str
    persistent: bool


class _BackupResult(TypedDict):
    name: str
    complete: bool


class BackupResult(_BackupResult, total=False):
    createdAt: str
    program: str
    schemaVersion: int
    regions: List[BackupResultRegions]
    bytes: int
    restoredBytes: int
    sha256: str


class BackupsResultRunning(TypedDict):
    name: Optional[str]
    startedAt: str
    bytes: int


class BackupsResultLastFailure(TypedDict):
    failedAt: str
    error: str


BackupsResultContinuousRestorableRanges = TypedDict(
    "BackupsResultContinuousRestorableRanges",
    {
        "from": str,
        "to": str,
        "firstPosition": str,
        "lastPosition": str,
        "points": int,
        "longestStepMs": int,
    },
)


class BackupsResultContinuousRestorable(TypedDict):
    objects: int
    bytes: int
    encrypted: bool
    ranges: List[BackupsResultContinuousRestorableRanges]


class BackupsResultContinuousRestoreCheckLast(TypedDict):
    outcome: Literal["verified", "damaged", "failed"]
    reason: Optional[str]
    endedAt: str
    instant: Optional[str]
    position: Optional[str]


class BackupsResultContinuousRestoreCheck(TypedDict):
    running: bool
    nextAt: str
    verifiedAt: Optional[str]
    last: Optional[BackupsResultContinuousRestoreCheckLast]


class BackupsResultContinuous(TypedDict):
    url: str
    state: Literal["starting", "shipping", "waiting", "stopped"]
    reason: Optional[str]
    position: Optional[str]
    shippedAt: Optional[str]
    reportAgeMs: int
    behindMs: int
    behindBytes: int
    restorable: Optional[BackupsResultContinuousRestorable]
    restoreCheck: Optional[BackupsResultContinuousRestoreCheck]


class BackupsResultBackups(TypedDict):
    name: str
    bytes: int
    completedAt: str


class BackupsResult(TypedDict):
    folder: Optional[str]
    running: Optional[BackupsResultRunning]
    nextAt: Optional[str]
    lastFailure: Optional[BackupsResultLastFailure]
    continuous: Optional[BackupsResultContinuous]
    backups: List[BackupsResultBackups]


class BackupverifyResult(TypedDict):
    name: str
    outcome: Literal["verified", "damaged", "failed"]
    reason: Optional[str]
    encrypted: Optional[bool]
    createdAt: Optional[str]
    entries: int
    restoredBytes: int


class BaselineResult(TypedDict):
    active: bool
    baseline: List[str]
    topologyVersion: int
    servers: List[str]


class _BatchResultError(TypedDict):
    code: str
    message: str
    remedy: str
    documentation: str


class BatchResultError(_BatchResultError, total=False):
    parameter: str
    position: int


class _BatchResult(TypedDict):
    successStatus: int
    sessionToken: None
    securitySubjectId: Optional[str]
    error: Optional[BatchResultError]
    response: Json


class BatchResult(_BatchResult, total=False):
    affinityNodeId: Optional[str]
    errorCode: str
    responseOmitted: bool


class CacheResult(TypedDict):
    createTime: int
    readTime: int
    writeTime: int
    hits: int
    misses: int
    reads: int
    writes: int


class ConfigResult(TypedDict):
    path: str
    value: Json
    source: str
    help: str
    default: str
    environment: str
    flag: Optional[str]


class DataregionResult(TypedDict):
    name: str


class DrainResult(TypedDict):
    draining: bool


class _DryrunResultEffects(TypedDict):
    change: Literal["created", "destroyed", "cleared", "entered", "added", "changed", "removed"]


class DryrunResultEffects(_DryrunResultEffects, total=False):
    cacheName: str
    state: str
    user: str
    role: str
    table: str
    column: str
    index: str
    view: str
    entries: int


class DryrunResult(TypedDict):
    of: str
    response: Json
    effects: Optional[List[DryrunResultEffects]]
    types: Dict[str, Json]


class ExeResult(TypedDict):
    id: str
    finished: bool
    error: Optional[str]
    result: Json


class GetallResult(TypedDict):
    key: Json
    value: Json


class ImportstateResultErrors(TypedDict):
    line: int
    message: str


class ImportstateResultPlanColumns(TypedDict):
    name: str
    type: str
    nullable: bool
    key: bool


class ImportstateResultPlan(TypedDict):
    statement: Optional[str]
    parameters: Dict[str, str]
    columns: List[ImportstateResultPlanColumns]
    records: int
    complete: bool


class _ImportstateResult(TypedDict):
    importId: Optional[str]
    state: Literal["open", "done"]
    rows: int
    skipped: int
    rejected: int
    offset: int
    line: int
    errors: List[ImportstateResultErrors]


class ImportstateResult(_ImportstateResult, total=False):
    plan: ImportstateResultPlan


class MetadataResultIndexes(TypedDict):
    name: str
    fields: List[str]
    descendings: List[str]
    unique: bool


class _MetadataResult(TypedDict):
    cacheName: str
    types: List[str]
    keyClasses: Dict[str, str]
    valClasses: Dict[str, str]
    fields: Dict[str, Dict[str, str]]
    indexes: Dict[str, List[MetadataResultIndexes]]


class MetadataResult(_MetadataResult, total=False):
    unfit: Dict[str, int]


class MetricshistoryResultSeries(TypedDict):
    requestsPerSecond: List[Optional[float]]
    failuresPerSecond: List[Optional[float]]
    p50Ms: List[Optional[float]]
    p95Ms: List[Optional[float]]
    p99Ms: List[Optional[float]]
    inFlight: List[Optional[float]]
    waiting: List[Optional[float]]
    eventLoopDelayMs: List[Optional[float]]
    stalls: List[Optional[float]]
    residentBytes: List[Optional[float]]
    heapUsedBytes: List[Optional[float]]
    processorPercent: List[Optional[float]]
    storeBytes: List[Optional[float]]
    walBytes: List[Optional[float]]
    diskFreeBytes: List[Optional[float]]
    unfitEntries: List[Optional[float]]
    commitsPerSecond: List[Optional[float]]
    commitP50Ms: List[Optional[float]]
    commitP99Ms: List[Optional[float]]
    statementProcesses: List[Optional[float]]
    busyStatementProcesses: List[Optional[float]]
    runningStatements: List[Optional[float]]
    openCursors: List[Optional[float]]
    receivedBytesPerSecond: List[Optional[float]]
    sentBytesPerSecond: List[Optional[float]]
    backupLagMs: List[Optional[float]]
    backupObjectAgeMs: List[Optional[float]]
    backupVerifiedAgeMs: List[Optional[float]]


class MetricshistoryResultLimits(TypedDict):
    slowMs: Optional[int]
    memoryBytes: Optional[int]
    diskBytes: Optional[int]
    diskReserveBytes: Optional[int]


class MetricshistoryResult(TypedDict):
    intervalMs: int
    times: List[int]
    series: MetricshistoryResultSeries
    commands: Dict[str, List[Optional[float]]]
    limits: MetricshistoryResultLimits


class NodeResultCaches(TypedDict):
    name: str
    mode: str
    sqlSchema: Optional[str]


class NodeResult(TypedDict):
    nodeId: str
    consistentId: str
    tcpAddresses: List[str]
    tcpHostNames: List[str]
    tcpPort: int
    order: int
    replicaCount: int
    defaultCacheMode: str
    metrics: Optional[Dict[str, float]]
    attributes: Optional[Dict[str, Json]]
    caches: Optional[List[NodeResultCaches]]


class QryexeResultFieldsMetadata(TypedDict):
    fieldName: Optional[str]
    fieldTypeName: Optional[str]
    schemaName: Optional[str]
    typeName: Optional[str]


class QryexeResult(TypedDict):
    items: List[Json]
    fieldsMetadata: Optional[List[QryexeResultFieldsMetadata]]
    last: bool
    queryId: int


class QryfetchResultFieldsMetadata(TypedDict):
    fieldName: Optional[str]
    fieldTypeName: Optional[str]
    schemaName: Optional[str]
    typeName: Optional[str]


class QryfetchResult(TypedDict):
    items: List[Json]
    fieldsMetadata: Optional[List[QryfetchResultFieldsMetadata]]
    last: bool
    queryId: int


class QryfldexeResultFieldsMetadata(TypedDict):
    fieldName: Optional[str]
    fieldTypeName: Optional[str]
    schemaName: Optional[str]
    typeName: Optional[str]


class _QryfldexeResult(TypedDict):
    items: List[Json]
    fieldsMetadata: Optional[List[QryfldexeResultFieldsMetadata]]
    last: bool
    queryId: int


class QryfldexeResult(_QryfldexeResult, total=False):
    rowCount: int
    timeMs: float


class QryscanexeResultFieldsMetadata(TypedDict):
    fieldName: Optional[str]
    fieldTypeName: Optional[str]
    schemaName: Optional[str]
    typeName: Optional[str]


class QryscanexeResult(TypedDict):
    items: List[Json]
    fieldsMetadata: Optional[List[QryscanexeResultFieldsMetadata]]
    last: bool
    queryId: int


class ResResult(TypedDict):
    id: str
    finished: bool
    error: Optional[str]
    result: Json


class RolelistResult(TypedDict):
    name: str
    source: Literal["builtIn", "configuration", "stored"]
    commands: Optional[List[str]]
    caches: Dict[str, List[str]]
    tables: Dict[str, List[str]]
    counters: List[str]
    tasks: List[str]
    administration: List[str]
    users: List[str]
    others: bool


class SessionlistResult(TypedDict):
    id: str
    user: str
    address: Optional[str]
    startedAt: Optional[str]
    lastUsedAt: Optional[str]
    expiresAt: str
    current: bool


class TasklistResult(TypedDict):
    id: str
    name: str
    user: str
    startedAt: str


class TopResultCaches(TypedDict):
    name: str
    mode: str
    sqlSchema: Optional[str]


class TopResult(TypedDict):
    nodeId: str
    consistentId: str
    tcpAddresses: List[str]
    tcpHostNames: List[str]
    tcpPort: int
    order: int
    replicaCount: int
    defaultCacheMode: str
    metrics: Optional[Dict[str, float]]
    attributes: Optional[Dict[str, Json]]
    caches: Optional[List[TopResultCaches]]


class UserlistResult(TypedDict):
    name: str
    roles: List[str]
    rolesFrom: Literal["configuration", "assigned", "others"]
    isDefault: bool


class ImportResultErrors(TypedDict):
    line: int
    message: str


class ImportResultPlanColumns(TypedDict):
    name: str
    type: str
    nullable: bool
    key: bool


class ImportResultPlan(TypedDict):
    statement: Optional[str]
    parameters: Dict[str, str]
    columns: List[ImportResultPlanColumns]
    records: int
    complete: bool


class _ImportResult(TypedDict):
    importId: Optional[str]
    state: Literal["open", "done"]
    rows: int
    skipped: int
    rejected: int
    offset: int
    line: int
    errors: List[ImportResultErrors]


class ImportResult(_ImportResult, total=False):
    plan: ImportResultPlan
