"""The types of parameters and results. Generated from the declarations of the commands: npm run generate."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, TypedDict, Union
from uuid import UUID

#: A value that the service returns: None, bool, int, float, Decimal, str, or a list or dict of them.
Json = Any

#: A key or a value to send. A datetime is a date, too.
JsonInput = Union[bool, int, float, Decimal, str, date, time, UUID, bytes, Sequence[Any], Mapping[str, Any]]


class Traits(NamedTuple):
    """How the client sends a command."""

    #: How often the request may be sent: any; keyed: with an idempotency key; once.
    repeats: Literal["any", "keyed", "once"]
    #: The response is a page, whose size the client sets if the caller does not.
    paged: bool = False
    #: Calls of one tick may share a batch.
    batched: bool = False


TRAITS: Mapping[str, Traits] = {
    "activate": Traits("keyed"),
    "active": Traits("keyed"),
    "add": Traits("keyed", batched=True),
    "adduser": Traits("keyed"),
    "apikeyadd": Traits("once"),
    "apikeylist": Traits("any"),
    "apikeyrmv": Traits("keyed"),
    "apikeyrotate": Traits("once"),
    "append": Traits("keyed", batched=True),
    "authenticate": Traits("once"),
    "backup": Traits("once"),
    "backups": Traits("any"),
    "backupverify": Traits("any"),
    "baseline": Traits("any"),
    "batch": Traits("keyed"),
    "cache": Traits("any"),
    "cachelist": Traits("any"),
    "cas": Traits("keyed", batched=True),
    "changefeed": Traits("keyed"),
    "clear": Traits("keyed"),
    "config": Traits("any"),
    "conkey": Traits("any", batched=True),
    "conkeys": Traits("any"),
    "counterpersist": Traits("keyed"),
    "counterttl": Traits("any"),
    "currentstate": Traits("any"),
    "dataregion": Traits("any"),
    "deactivate": Traits("keyed"),
    "decr": Traits("keyed", batched=True),
    "destcache": Traits("keyed"),
    "drain": Traits("keyed"),
    "dryrun": Traits("any"),
    "exe": Traits("keyed"),
    "get": Traits("any", batched=True),
    "getall": Traits("any"),
    "getorcreate": Traits("keyed"),
    "getput": Traits("keyed"),
    "getputifabs": Traits("keyed"),
    "getrep": Traits("keyed"),
    "getrmv": Traits("keyed"),
    "importrmv": Traits("keyed"),
    "importstate": Traits("any"),
    "inactive": Traits("keyed"),
    "incr": Traits("keyed", batched=True),
    "log": Traits("any"),
    "metadata": Traits("any"),
    "metricshistory": Traits("any"),
    "name": Traits("any"),
    "node": Traits("any"),
    "noop": Traits("any"),
    "persist": Traits("keyed", batched=True),
    "prepend": Traits("keyed", batched=True),
    "probe": Traits("any"),
    "put": Traits("keyed", batched=True),
    "putall": Traits("keyed"),
    "putifabs": Traits("keyed", batched=True),
    "qrycls": Traits("once"),
    "qryexe": Traits("any", True),
    "qryfetch": Traits("once", True),
    "qryfldexe": Traits("keyed", True),
    "qrykill": Traits("keyed"),
    "qryscanexe": Traits("any", True),
    "removeuser": Traits("keyed"),
    "rep": Traits("keyed", batched=True),
    "repval": Traits("keyed", batched=True),
    "res": Traits("any"),
    "rmv": Traits("keyed", batched=True),
    "rmvall": Traits("keyed"),
    "rmvval": Traits("keyed", batched=True),
    "roleadd": Traits("keyed"),
    "roleassign": Traits("keyed"),
    "rolelist": Traits("any"),
    "rolermv": Traits("keyed"),
    "roleupdate": Traits("keyed"),
    "savedqueryadd": Traits("keyed"),
    "savedqueryget": Traits("any"),
    "savedquerylist": Traits("any"),
    "savedqueryrmv": Traits("keyed"),
    "savedqueryupdate": Traits("keyed"),
    "sessionlist": Traits("any"),
    "sessionrmv": Traits("keyed"),
    "setstate": Traits("keyed"),
    "size": Traits("any"),
    "state": Traits("any"),
    "taskkill": Traits("keyed"),
    "tasklist": Traits("any"),
    "top": Traits("any"),
    "ttl": Traits("any", batched=True),
    "updatettl": Traits("keyed", batched=True),
    "updateuser": Traits("keyed"),
    "userlist": Traits("any"),
    "version": Traits("any"),
}

#: The HTTP statuses of errors, which the results of a batch do not name.
ERROR_STATUSES: Mapping[str, int] = {
    "COMMAND_MISSING": 400,
    "COMMAND_UNKNOWN": 400,
    "COMMAND_CONFLICT": 400,
    "PARAMETER_MISSING": 400,
    "PARAMETER_NULL": 400,
    "PARAMETER_UNKNOWN": 400,
    "PARAMETER_INVALID": 400,
    "PARAMETER_GAP": 400,
    "PARAMETERS_EXCLUSIVE": 400,
    "TTL_NEGATIVE": 400,
    "NOT_A_LONG": 400,
    "NOT_AN_INTEGER": 400,
    "NOT_A_BOOLEAN": 400,
    "NOT_A_NUMBER": 400,
    "PAGE_SIZE_NEGATIVE": 400,
    "CONVERSION": 400,
    "BACKUPS_INVALID": 400,
    "WRITE_MODE_INVALID": 400,
    "MORE_VALUES_THAN_KEYS": 400,
    "FEWER_VALUES_THAN_KEYS": 400,
    "LIMIT_EXCEEDED": 400,
    "BATCH_ABORTED": 409,
    "BATCH_CONDITION": 409,
    "BATCH_PAGE": 400,
    "BATCH_REGIONS": 400,
    "BATCH_COMMAND": 400,
    "DRY_RUN_UNSUPPORTED": 400,
    "IDEMPOTENCY_KEY_INVALID": 400,
    "IDEMPOTENCY_KEY_REUSED": 409,
    "IDEMPOTENCY_KEY_IN_USE": 409,
    "IDEMPOTENCY_UNSUPPORTED": 400,
    "IDEMPOTENCY_FULL": 503,
    "CHANGE_FEED_OFF": 409,
    "CHANGE_FEED_COLUMNS": 400,
    "CHANGE_POSITION_INVALID": 400,
    "CHANGE_POSITION_GONE": 410,
    "CHANGE_POSITION_TIMEOUT": 504,
    "CHANGE_CONSUMER_SLOW": 410,
    "CHANGE_CONSUMERS": 503,
    "CACHE_NAME_INVALID": 400,
    "QUERY_CACHE_NAME_EMPTY": 400,
    "METADATA_NOT_FOUND": 404,
    "NODE_ID_INVALID": 400,
    "CACHE_NOT_FOUND": 404,
    "KEY_NOT_FOUND": 404,
    "COUNTER_NOT_FOUND": 404,
    "CACHE_IS_SYSTEM": 403,
    "QUERY_CACHE_NOT_FOUND": 404,
    "CACHE_LIMIT": 409,
    "CACHE_DECLARED_OTHERWISE": 500,
    "COUNTER_LIMIT": 409,
    "TEMPLATE_NOT_FOUND": 404,
    "REGION_NOT_FOUND": 404,
    "REGION_FULL": 503,
    "BACKUPS_NEGATIVE": 400,
    "NOTATION_INVALID": 400,
    "SLIDING_WITHOUT_TTL": 400,
    "GROUP_MISMATCH": 409,
    "GROUP_MODE_MISMATCH": 409,
    "GROUP_CONFLICT": 409,
    "GROUP_REGION_MISMATCH": 409,
    "INCOMPATIBLE_TYPES": 409,
    "CLUSTER_GROUP_EMPTY": 404,
    "STATE_MISSING": 400,
    "STATE_INVALID": 400,
    "READ_ONLY": 409,
    "INACTIVE": 503,
    "DEACTIVATION_STOPPED": 409,
    "NODE_NOT_FOUND": 404,
    "CACHE_LIST_OPTIONS": 400,
    "PATTERN_INVALID": 400,
    "PROBE_KIND_INVALID": 400,
    "NOT_READY": 503,
    "STANDBY": 503,
    "DEPOSED": 503,
    "DRAIN_ACTION_INVALID": 400,
    "NODE_ID_OR_IP_MISSING": 400,
    "UUID_INVALID": 400,
    "NOT_A_UUID": 400,
    "VALUE_REJECTED": 400,
    "OPERATION_FAILED": 500,
    "SQL": 400,
    "SQL_OBJECT_NOT_FOUND": 404,
    "SQL_CONFLICT": 409,
    "QUERY_NOT_FOUND": 404,
    "QUERY_LOST": 503,
    "QUERY_PROCESS_MEMORY": 400,
    "QUERY_ELSEWHERE": 503,
    "QUERY_BUSY": 409,
    "QUERY_TYPE_NOT_FOUND": 404,
    "QUERY_CANCELLED": 504,
    "QUERY_TIMEOUT": 504,
    "QUERY_PREEMPTED": 503,
    "QUERY_MEMORY": 400,
    "QUERIES_MEMORY": 503,
    "QUERY_DISK": 400,
    "QUERIES_DISK": 503,
    "QUERY_RESULT_BYTES": 400,
    "WRITE_LOCK_TIME": 504,
    "QUERIES_BUSY": 503,
    "CURSOR_LIMIT": 503,
    "USER_SHARE": 429,
    "SESSION_LIMIT": 503,
    "CLASS_NOT_FOUND": 404,
    "CLASS_NOT_A_FILTER": 400,
    "TASK_NOT_FOUND": 404,
    "CLASS_NOT_A_TASK": 400,
    "TASK_FAILED": 500,
    "TASK_TIMEOUT": 504,
    "TASK_ID_INVALID": 400,
    "TASK_SYNCHRONOUS": 400,
    "TASK_NOT_STARTED": 404,
    "TASK_NOT_RUNNING": 404,
    "TASK_HOLDER_LEFT": 404,
    "TOKEN_MISSING": 401,
    "TOKEN_UNKNOWN": 401,
    "CREDENTIALS_WRONG": 401,
    "TOO_MANY_ATTEMPTS": 429,
    "PERMISSION_DENIED": 403,
    "API_KEY_UNKNOWN": 401,
    "JWT_INVALID": 401,
    "JWT_KEYS_UNAVAILABLE": 503,
    "SIGNATURE_WRONG": 401,
    "ORIGIN_FORBIDDEN": 403,
    "SECURITY_DISABLED": 400,
    "USER_OPERATION": 400,
    "OLD_PASSWORD_WRONG": 403,
    "USER_EXISTS": 409,
    "API_KEY_INVALID": 400,
    "API_KEY_EXISTS": 409,
    "API_KEY_NOT_FOUND": 404,
    "ROLE_INVALID": 400,
    "ROLE_EXISTS": 409,
    "ROLE_NOT_FOUND": 404,
    "ROLE_READ_ONLY": 409,
    "USER_ROLES_READ_ONLY": 409,
    "ROLE_IN_USE": 409,
    "ROLE_ESCALATION": 403,
    "ROLE_LOCKOUT": 409,
    "ROLE_LIMIT": 409,
    "SESSION_NOT_FOUND": 404,
    "API_KEY_LIMIT": 409,
    "USER_NOT_FOUND": 404,
    "SAVED_QUERY_INVALID": 400,
    "SAVED_QUERY_EXISTS": 409,
    "SAVED_QUERY_NOT_FOUND": 404,
    "SAVED_QUERY_FORBIDDEN": 403,
    "SAVED_QUERY_CHANGED": 409,
    "SAVED_QUERY_LIMIT": 409,
    "LOG_PATH_FORBIDDEN": 403,
    "LOG_RANGE_INVALID": 400,
    "LOG_NOT_FOUND": 404,
    "REQUEST_MALFORMED": 400,
    "PATH_NOT_FOUND": 404,
    "CONSOLE_NOT_BUILT": 503,
    "METHOD_NOT_ALLOWED": 405,
    "REQUEST_TIMEOUT": 408,
    "IMPORT_INVALID": 400,
    "IMPORT_REJECTED": 400,
    "IMPORT_RECORD_TOO_LONG": 413,
    "IMPORT_NOT_FOUND": 404,
    "IMPORT_IN_USE": 409,
    "IMPORT_CONFLICT": 409,
    "IMPORTS_BUSY": 503,
    "TABLE_NOT_FOUND": 404,
    "ENTRY_NOT_FOUND": 404,
    "ENTRY_EXISTS": 409,
    "ROW_NOT_FOUND": 404,
    "PRECONDITION_FAILED": 412,
    "NOT_ACCEPTABLE": 406,
    "MEDIA_TYPE_UNSUPPORTED": 415,
    "RESOURCE_INVALID": 400,
    "BODY_INCOMPLETE": 400,
    "BODY_TOO_LARGE": 413,
    "HEAD_TOO_LARGE": 431,
    "OVERLOADED": 503,
    "RATE_LIMITED": 429,
    "BUFFERS_FULL": 503,
    "STOPPING": 503,
    "STORAGE_FULL": 503,
    "WRITE_HEADER_MISSING": 403,
    "STORAGE_LOW": 503,
    "STORAGE_READ_ONLY": 503,
    "STORAGE_CORRUPT": 500,
    "STORAGE_FAILED": 503,
    "BACKUP_FOLDER_MISSING": 400,
    "BACKUP_NAME_INVALID": 400,
    "BACKUP_RUNNING": 409,
    "BACKUP_SPACE": 503,
    "BACKUP_FAILED": 500,
    "BACKUP_KEY_INVALID": 500,
    "BACKUP_KEY_MISSING": 500,
    "BACKUP_KEY_WRONG": 500,
    "BACKUP_NOT_ENCRYPTED": 500,
    "OUTCOME_UNKNOWN": 409,
    "CLUSTER_UNREACHABLE": 503,
    "CIRCULAR_REFERENCE": 409,
    "CLUSTER_ANSWER_INVALID": 502,
    "NOT_SUPPORTED": 400,
    "SQL_MODULE_MISSING": 501,
    "INTERNAL": 500,
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
    sample: List[List[Optional[str]]]
    records: int
    complete: bool
    notes: List[str]


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


class SavedqueryaddResultParameters(TypedDict):
    name: str
    label: Optional[str]
    type: str
    default: Optional[str]


class SavedqueryaddResult(TypedDict):
    id: str
    name: str
    user: Optional[str]
    shared: bool
    changeable: bool
    revision: int
    createdAt: str
    changedAt: str
    changedBy: Optional[str]
    qry: str
    cacheName: Optional[str]
    parameters: List[SavedqueryaddResultParameters]


class SavedquerygetResultParameters(TypedDict):
    name: str
    label: Optional[str]
    type: str
    default: Optional[str]


class SavedquerygetResult(TypedDict):
    id: str
    name: str
    user: Optional[str]
    shared: bool
    changeable: bool
    revision: int
    createdAt: str
    changedAt: str
    changedBy: Optional[str]
    qry: str
    cacheName: Optional[str]
    parameters: List[SavedquerygetResultParameters]


class SavedquerylistResult(TypedDict):
    id: str
    name: str
    user: Optional[str]
    shared: bool
    changeable: bool
    revision: int
    createdAt: str
    changedAt: str
    changedBy: Optional[str]


class SavedqueryupdateResultParameters(TypedDict):
    name: str
    label: Optional[str]
    type: str
    default: Optional[str]


class SavedqueryupdateResult(TypedDict):
    id: str
    name: str
    user: Optional[str]
    shared: bool
    changeable: bool
    revision: int
    createdAt: str
    changedAt: str
    changedBy: Optional[str]
    qry: str
    cacheName: Optional[str]
    parameters: List[SavedqueryupdateResultParameters]


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
    sample: List[List[Optional[str]]]
    records: int
    complete: bool
    notes: List[str]


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
