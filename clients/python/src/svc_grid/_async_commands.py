"""The methods of the client for asyncio, one for each command. Generated from the declarations of the commands: npm run generate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Union

from ._results import (
    Json,
    JsonInput,
    ApikeyaddResult,
    ApikeylistResult,
    ApikeyrotateResult,
    BackupResult,
    BackupsResult,
    BackupverifyResult,
    BaselineResult,
    BatchResult,
    CacheResult,
    ConfigResult,
    DataregionResult,
    DrainResult,
    DryrunResult,
    ExeResult,
    ImportstateResult,
    MetadataResult,
    MetricshistoryResult,
    NodeResult,
    QryexeResult,
    QryfetchResult,
    QryfldexeResult,
    QryscanexeResult,
    ResResult,
    RolelistResult,
    SavedqueryaddResult,
    SavedquerygetResult,
    SavedquerylistResult,
    SavedqueryupdateResult,
    SessionlistResult,
    TasklistResult,
    TopResult,
    UserlistResult,
)


class AsyncCommandMethods(ABC):
    @abstractmethod
    async def call(
        self, command: str, parameters: Mapping[str, Any], *, idempotency_key: Optional[str] = None
    ) -> Any:
        """Executes a command."""

    async def activate(self, *, idempotency_key: Optional[str] = None) -> str:
        """Sets the state ACTIVE (old form of `setstate`).

        Args:
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: str = await self.call("activate", {}, idempotency_key=idempotency_key)
        return response

    async def active(self, *, idempotency_key: Optional[str] = None) -> str:
        """Sets the state ACTIVE (old form of `setstate`).

        Args:
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: str = await self.call("active", {}, idempotency_key=idempotency_key)
        return response

    async def add(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        exp: Optional[int] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Stores a value if the key does not exist. Same as `putifabs`.

        Args:
            key: Key of the entry.
            val: The value.
            cache_name: Name of the cache. Default: the default cache.
            exp: Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a
                new one has none.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "add",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "exp": exp,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def adduser(
        self,
        user: str,
        password: str,
        *,
        roles: Optional[Union[str, Sequence[str]]] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Adds a user with the given roles. A user without roles has no rights.

        Args:
            user: User name; case-sensitive.
            password: Password of the user.
            roles: Comma-separated role names. Default: none; in compatibility mode `reference`, the roles
                that the configuration assigns to all other users.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "adduser",
            {
                "user": user,
                "password": password,
                "roles": roles,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def apikeyadd(
        self,
        name: str,
        *,
        user: Optional[str] = None,
        scope: Optional[str] = None,
        addresses: Optional[Union[str, Sequence[str]]] = None,
        rate: Optional[str] = None,
        ttl_ms: Optional[int] = None,
    ) -> ApikeyaddResult:
        """Creates an API key for a program, with the rights that both its user and its scope grant.

        Args:
            name: Name of the key, unique among the user's keys.
            user: User that the key acts for; default: the caller.
            scope: Rights of the key: a JSON object like a role in the configuration, with `commands`,
                `caches`, `tables`, `counters`, `tasks` and `administration`, as an object or its text.
                Default: all rights of the user except administration.
            addresses: Comma-separated addresses and networks (10.0.0.0/8) of the clients that may use the
                key; default: any.
            rate: Maximum request rate of the key: `100/s`, `5000/m`, `100000/h`, `20/10s`; default:
                `rateLimit.apiKey`.
            ttl_ms: Time in milliseconds until the key expires. Default: never.
        """
        response: ApikeyaddResult = await self.call(
            "apikeyadd",
            {
                "name": name,
                "user": user,
                "scope": scope,
                "addresses": addresses,
                "rate": rate,
                "ttlMs": ttl_ms,
            },
        )
        return response

    async def apikeylist(self, *, user: Optional[str] = None) -> List[ApikeylistResult]:
        """Lists API keys without their secrets: your own, or all if you are an administrator.

        Args:
            user: List only the keys of this user.
        """
        response: List[ApikeylistResult] = await self.call(
            "apikeylist",
            {
                "user": user,
            },
        )
        return response

    async def apikeyrmv(self, id: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Revokes and removes an API key, effective immediately.

        Args:
            id: Id of the API key.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "apikeyrmv",
            {
                "id": id,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def apikeyrotate(
        self,
        id: str,
        *,
        overlap_ms: Optional[int] = None,
        ttl_ms: Optional[int] = None,
    ) -> ApikeyrotateResult:
        """Replaces the secret of an API key. The previous secret remains valid for a while.

        Args:
            id: Id of the API key.
            overlap_ms: How long the previous secret remains valid, in milliseconds. Default: 86400000.
            ttl_ms: Time in milliseconds until the key expires. Default: unchanged.
        """
        response: ApikeyrotateResult = await self.call(
            "apikeyrotate",
            {
                "id": id,
                "overlapMs": overlap_ms,
                "ttlMs": ttl_ms,
            },
        )
        return response

    async def append(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Appends to a string or list, or sets members of a map.

        Args:
            key: Key of the entry.
            val: The string, list or map to add.
            cache_name: Name of the cache. Default: the default cache.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "append",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def authenticate(
        self,
        *,
        login: Optional[str] = None,
        password: Optional[str] = None,
        console: Optional[bool] = None,
    ) -> bool:
        """Logs in with svc.login and svc.password. The envelope contains the new session token.

        Args:
            login: User name, unless the header `Authorization` contains it.
            password: Password of the user.
            console: Start a console session, which expires after `console.sessionTimeout` without use.
                Default: false.
        """
        response: bool = await self.call(
            "authenticate",
            {
                "svc.login": login,
                "svc.password": password,
                "console": console,
            },
        )
        return response

    async def backup(self, *, name: Optional[str] = None, wait: Optional[bool] = None) -> BackupResult:
        """Makes a consistent backup of all regions while reads and writes continue.

        Args:
            name: File name in `backup.folder`: letters, digits, dots, dashes and underscores. Default: the
                current time.
            wait: Wait until the backup is complete. Disconnecting earlier cancels it. Default: true.
        """
        response: BackupResult = await self.call(
            "backup",
            {
                "name": name,
                "wait": wait,
            },
        )
        return response

    async def backups(self, *, restorable: Optional[bool] = None) -> BackupsResult:
        """Lists the backups, the running and the next one, and the state of the continuous backup.

        Args:
            restorable: Also list what can be restored from the continuous backup. Default: false.
        """
        response: BackupsResult = await self.call(
            "backups",
            {
                "restorable": restorable,
            },
        )
        return response

    async def backupverify(self, name: str) -> BackupverifyResult:
        """Restores a backup to a temporary folder and verifies it, as `svc verify` does.

        Args:
            name: Name of a backup in `backup.folder`.
        """
        response: BackupverifyResult = await self.call(
            "backupverify",
            {
                "name": name,
            },
        )
        return response

    async def baseline(self) -> BaselineResult:
        """Returns the baseline: the nodes that hold data."""
        response: BaselineResult = await self.call("baseline", {})
        return response

    async def batch(
        self,
        commands: Sequence[Mapping[str, Any]],
        *,
        atomic: Optional[bool] = None,
        stop_on_error: Optional[bool] = None,
        timeout: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> List[BatchResult]:
        """Executes several commands in one request, in order, and returns a result for each.

        Args:
            commands: The commands as a JSON array of objects, each with `cmd` and its parameters. The array
                can also be the body of a POST to `/svc/batch`, where the types of its values count, or to
                `/svc?cmd=batch`, where they are texts.
            atomic: Execute all commands as one transaction: either all take effect or, if one fails, none.
                Default: false.
            stop_on_error: Execute nothing after the first command that fails. An atomic batch always stops.
                Default: false.
            timeout: Time limit of an atomic batch in milliseconds (default: the option `query.timeout`).
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: List[BatchResult] = await self.call(
            "batch",
            {
                "commands": commands,
                "atomic": atomic,
                "stopOnError": stop_on_error,
                "timeout": timeout,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def cache(
        self,
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
    ) -> CacheResult:
        """Returns the metrics of a cache.

        Args:
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
        """
        response: CacheResult = await self.call(
            "cache",
            {
                "cacheName": cache_name,
                "destId": dest_id,
                "cacheFlags": cache_flags,
            },
        )
        return response

    async def cachelist(
        self,
        *,
        regex: Optional[str] = None,
        groups: Optional[bool] = None,
        seq: Optional[bool] = None,
        config: Optional[bool] = None,
        node_id: Optional[str] = None,
    ) -> List[Dict[str, Json]]:
        """Lists the caches or the cache groups with their sizes.

        Args:
            regex: Java regular expression that must match the whole name.
            groups: List cache groups. Default: false.
            seq: List atomic sequences. The list is always empty. Default: false.
            config: List caches with their configuration. Default: false.
            node_id: Id of the node to run the command on.
        """
        response: List[Dict[str, Json]] = await self.call(
            "cachelist",
            {
                "regex": regex,
                "groups": groups,
                "seq": seq,
                "config": config,
                "nodeId": node_id,
            },
        )
        return response

    async def cas(
        self,
        key: JsonInput,
        val: JsonInput,
        val2: JsonInput,
        *,
        cache_name: Optional[str] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Replaces a value if the current value equals the expected one (compare and swap).

        Args:
            key: Key of the entry.
            val: The value.
            val2: The expected current value.
            cache_name: Name of the cache. Default: the default cache.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "cas",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "val2": val2,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def changefeed(
        self,
        *,
        cache_name: Optional[str] = None,
        enabled: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Starts or stops recording the changes of a cache, which `watch` streams.

        Args:
            cache_name: Name of the cache. Default: the default cache.
            enabled: Whether to record changes from now on. Default: true.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: None = await self.call(
            "changefeed",
            {
                "cacheName": cache_name,
                "enabled": enabled,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def clear(
        self,
        cache_name: str,
        *,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Removes all entries of a cache.

        Args:
            cache_name: Name of the cache. There is no default, so a request without a name clears nothing.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "clear",
            {
                "cacheName": cache_name,
                "destId": dest_id,
                "cacheFlags": cache_flags,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def config(self) -> List[ConfigResult]:
        """Returns every option with its value and where it comes from, as `svc config show` does."""
        response: List[ConfigResult] = await self.call("config", {})
        return response

    async def conkey(
        self,
        key: JsonInput,
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
    ) -> bool:
        """Reports whether a key exists.

        Args:
            key: Key of the entry.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
        """
        response: bool = await self.call(
            "conkey",
            {
                "cacheName": cache_name,
                "key": key,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
        )
        return response

    async def conkeys(
        self,
        keys: Sequence[JsonInput],
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
    ) -> bool:
        """Reports whether all the given keys exist.

        Args:
            keys: Keys, numbered from 1 without gaps.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
        """
        response: bool = await self.call(
            "conkeys",
            {
                "cacheName": cache_name,
                "keys": keys,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
        )
        return response

    async def counterpersist(self, key: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Removes the deadline of a counter, which then never expires.

        Args:
            key: Name of the counter.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "counterpersist",
            {
                "key": key,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def counterttl(self, key: str) -> Optional[int]:
        """Returns the remaining time to live of a counter.

        Args:
            key: Name of the counter.
        """
        response: Optional[int] = await self.call(
            "counterttl",
            {
                "key": key,
            },
        )
        return response

    async def currentstate(self) -> bool:
        """Reports whether the cluster is active (old form of `state`)."""
        response: bool = await self.call("currentstate", {})
        return response

    async def dataregion(self) -> List[DataregionResult]:
        """Returns the metrics of the data regions."""
        response: List[DataregionResult] = await self.call("dataregion", {})
        return response

    async def deactivate(self, *, force: Optional[bool] = None, idempotency_key: Optional[str] = None) -> str:
        """Sets the state INACTIVE (old form of `setstate`).

        Args:
            force: Deactivate even if that drops entries of non-persistent caches. Default: false.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: str = await self.call(
            "deactivate",
            {
                "force": force,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def decr(
        self,
        key: str,
        delta: int,
        *,
        init: Optional[int] = None,
        ttl_ms: Optional[int] = None,
        cache_name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> int:
        """Subtracts a number from a counter and returns the result. Creates the counter if necessary.

        Args:
            key: Name of the counter.
            delta: The number to subtract; may be negative.
            init: Initial value of a new counter. Default: 0.
            ttl_ms: Time to live of a new counter in milliseconds; 0 means none. An existing counter keeps its
                deadline.
            cache_name: Ignored; counters are independent of caches. Default: the default cache.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: int = await self.call(
            "decr",
            {
                "init": init,
                "key": key,
                "delta": delta,
                "ttlMs": ttl_ms,
                "cacheName": cache_name,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def destcache(
        self,
        *,
        cache_name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Destroys a cache and its entries. The default cache is only cleared.

        Args:
            cache_name: Name of the cache. Default: the default cache.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: None = await self.call(
            "destcache",
            {
                "cacheName": cache_name,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def drain(
        self,
        action: Literal["start", "stop", "status"],
        *,
        force: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> DrainResult:
        """Makes the service report that it is not ready, so load balancers stop sending it traffic.

        Args:
            action: The action; `status` changes nothing.
            force: Accepted for GridGain clients; has no effect. Default: false.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: DrainResult = await self.call(
            "drain",
            {
                "action": action,
                "force": force,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def dryrun(self, of: str, **others: Any) -> DryrunResult:
        """Reports what another command would do with the same parameters, and changes nothing.

        Args:
            of: The command to check, sent with its own parameters. You need the rights that it requires.
        """
        response: DryrunResult = await self.call(
            "dryrun",
            {
                "of": of,
                **others,
            },
        )
        return response

    async def exe(
        self,
        name: str,
        *,
        params: Optional[Sequence[str]] = None,
        async_: Optional[bool] = None,
        timeout: Optional[int] = None,
        dest_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> ExeResult:
        """Runs a task.

        Args:
            name: Name of the task.
            params: Arguments of the task, numbered from 1 without gaps.
            async_: Return immediately; `res` returns the result later. Default: false.
            timeout: Time limit in milliseconds; 0 means none. Default: 0.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: ExeResult = await self.call(
            "exe",
            {
                "name": name,
                "params": params,
                "async": async_,
                "timeout": timeout,
                "destId": dest_id,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def get(
        self,
        key: JsonInput,
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
    ) -> Json:
        """Returns the value of a key.

        Args:
            key: Key of the entry.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
        """
        response: Json = await self.call(
            "get",
            {
                "cacheName": cache_name,
                "key": key,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
        )
        return response

    async def getall(
        self,
        keys: Sequence[JsonInput],
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
    ) -> Dict[str, Json]:
        """Returns the values of several keys.

        Args:
            keys: Keys, numbered from 1 without gaps.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
        """
        response: Dict[str, Json] = await self.call(
            "getall",
            {
                "cacheName": cache_name,
                "keys": keys,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
        )
        return response

    async def getorcreate(
        self,
        *,
        cache_name: Optional[str] = None,
        backups: Optional[int] = None,
        data_region: Optional[str] = None,
        template_name: Optional[str] = None,
        cache_group: Optional[str] = None,
        write_synchronization_mode: Optional[Literal["FULL_SYNC", "FULL_ASYNC", "PRIMARY_SYNC"]] = None,
        ttl_ms: Optional[int] = None,
        sliding: Optional[bool] = None,
        change_feed: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        """Creates a cache unless one with this name exists.

        Args:
            cache_name: Name of the cache. Default: the default cache.
            backups: Number of backups of the new cache. Default: 0.
            data_region: Data region of the new cache.
            template_name: Template of the new cache: PARTITIONED, REPLICATED or a configured template.
            cache_group: Cache group of the new cache.
            write_synchronization_mode: When a cluster acknowledges writes to the new cache. The embedded
                engine ignores it.
            ttl_ms: Time to live in milliseconds of entries in the new cache, for writes that set none; 0
                means none.
            sliding: Whether reads (`get`, `getall`) also extend the time to live of an entry; requires
                `ttlMs`. Default: false.
            change_feed: Whether `watch` can stream the changes of the new cache. Default: false.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: None = await self.call(
            "getorcreate",
            {
                "cacheName": cache_name,
                "backups": backups,
                "dataRegion": data_region,
                "templateName": template_name,
                "cacheGroup": cache_group,
                "writeSynchronizationMode": write_synchronization_mode,
                "ttlMs": ttl_ms,
                "sliding": sliding,
                "changeFeed": change_feed,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def getput(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Json:
        """Stores a value and returns the previous one.

        Args:
            key: Key of the entry.
            val: The value.
            cache_name: Name of the cache. Default: the default cache.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: Json = await self.call(
            "getput",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def getputifabs(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Json:
        """Stores a value if the key does not exist; otherwise returns the existing value.

        Args:
            key: Key of the entry.
            val: The value.
            cache_name: Name of the cache. Default: the default cache.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: Json = await self.call(
            "getputifabs",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def getrep(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Json:
        """Replaces the value of an existing key and returns the previous value.

        Args:
            key: Key of the entry.
            val: The value.
            cache_name: Name of the cache. Default: the default cache.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: Json = await self.call(
            "getrep",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def getrmv(
        self,
        key: JsonInput,
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Json:
        """Removes an entry and returns its value.

        Args:
            key: Key of the entry.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: Json = await self.call(
            "getrmv",
            {
                "cacheName": cache_name,
                "key": key,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def importrmv(self, import_id: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Forgets an import. The rows that it has stored remain.

        Args:
            import_id: Id of the import.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "importrmv",
            {
                "importId": import_id,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def importstate(self, import_id: str) -> ImportstateResult:
        """Returns the progress of an import.

        Args:
            import_id: Id of the import.
        """
        response: ImportstateResult = await self.call(
            "importstate",
            {
                "importId": import_id,
            },
        )
        return response

    async def inactive(self, *, force: Optional[bool] = None, idempotency_key: Optional[str] = None) -> str:
        """Sets the state INACTIVE (old form of `setstate`).

        Args:
            force: Deactivate even if that drops entries of non-persistent caches. Default: false.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: str = await self.call(
            "inactive",
            {
                "force": force,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def incr(
        self,
        key: str,
        delta: int,
        *,
        init: Optional[int] = None,
        ttl_ms: Optional[int] = None,
        cache_name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> int:
        """Adds a number to a counter and returns the result. Creates the counter if necessary.

        Args:
            key: Name of the counter.
            delta: The number to add; may be negative.
            init: Initial value of a new counter. Default: 0.
            ttl_ms: Time to live of a new counter in milliseconds; 0 means none. An existing counter keeps its
                deadline.
            cache_name: Ignored; counters are independent of caches. Default: the default cache.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: int = await self.call(
            "incr",
            {
                "init": init,
                "key": key,
                "delta": delta,
                "ttlMs": ttl_ms,
                "cacheName": cache_name,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def log(
        self,
        *,
        from_: Optional[int] = None,
        to: Optional[int] = None,
        lines: Optional[int] = None,
        path: Optional[str] = None,
    ) -> List[str]:
        """Returns a range of lines, or the last lines, of a log file.

        Args:
            from_: First line, counted from 0. Needs `to` or `lines`.
            to: Last line, inclusive and greater than `from`. Needs `from`.
            lines: Number of lines, starting at `from`; without `from`, the last lines of the file. Default:
                1000.
            path: Path of a file inside the log folder (default: the current log file).
        """
        response: List[str] = await self.call(
            "log",
            {
                "from": from_,
                "to": to,
                "lines": lines,
                "path": path,
            },
        )
        return response

    async def metadata(
        self,
        *,
        cache_name: Optional[str] = None,
    ) -> Union[MetadataResult, List[MetadataResult]]:
        """Describes the SQL types of a cache: fields, classes and indexes.

        Args:
            cache_name: Name of the cache. `*` returns an array with all caches. Default: the default cache.
        """
        response: Union[MetadataResult, List[MetadataResult]] = await self.call(
            "metadata",
            {
                "cacheName": cache_name,
            },
        )
        return response

    async def metricshistory(self, *, after: Optional[int] = None) -> MetricshistoryResult:
        """Returns samples of the last hour's metrics.

        Args:
            after: Only samples after this time, in milliseconds since 1970.
        """
        response: MetricshistoryResult = await self.call(
            "metricshistory",
            {
                "after": after,
            },
        )
        return response

    async def name(self) -> Optional[str]:
        """Returns the name of the node."""
        response: Optional[str] = await self.call("name", {})
        return response

    async def node(
        self,
        *,
        id: Optional[str] = None,
        ip: Optional[str] = None,
        attr: Optional[bool] = None,
        mtr: Optional[bool] = None,
        caches: Optional[bool] = None,
    ) -> Optional[NodeResult]:
        """Describes a node, found by its id or one of its addresses.

        Args:
            id: Id of the node.
            ip: An IP address of the node.
            attr: Include the attributes. Default: false.
            mtr: Include the metrics. Default: false.
            caches: Include the caches. Default: true.
        """
        response: Optional[NodeResult] = await self.call(
            "node",
            {
                "id": id,
                "ip": ip,
                "attr": attr,
                "mtr": mtr,
                "caches": caches,
            },
        )
        return response

    async def noop(self) -> None:
        """Does nothing. Clients use it to keep a session alive."""
        response: None = await self.call("noop", {})
        return response

    async def persist(
        self,
        key: JsonInput,
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Removes the deadline of an entry, which then never expires.

        Args:
            key: Key of the entry.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "persist",
            {
                "cacheName": cache_name,
                "key": key,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def prepend(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Prepends to a string or list, or adds missing members to a map.

        Args:
            key: Key of the entry.
            val: The string, list or map to add.
            cache_name: Name of the cache. Default: the default cache.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "prepend",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def probe(self, *, kind: Optional[Literal["liveness", "readiness", "startup"]] = None) -> str:
        """Reports whether the service is running or ready.

        Args:
            kind: `liveness`, the default: whether the service is running. `readiness` or `startup`: whether
                it can execute commands.
        """
        response: str = await self.call(
            "probe",
            {
                "kind": kind,
            },
        )
        return response

    async def put(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        exp: Optional[int] = None,
        ttl_ms: Optional[int] = None,
        created: Optional[bool] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Stores a value.

        Args:
            key: Key of the entry.
            val: The value.
            cache_name: Name of the cache. Default: the default cache.
            exp: Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a
                new one has none.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            created: Return whether the entry is new, instead of true. Default: false.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "put",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "exp": exp,
                "ttlMs": ttl_ms,
                "created": created,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def putall(
        self,
        keys: Sequence[JsonInput],
        values: Sequence[JsonInput],
        *,
        cache_name: Optional[str] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Stores several entries, all or none.

        Args:
            keys: Keys, numbered from 1 without gaps.
            values: Values, numbered like the keys.
            cache_name: Name of the cache. Default: the default cache.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "putall",
            {
                "cacheName": cache_name,
                "keys": keys,
                "values": values,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def putifabs(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        exp: Optional[int] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Stores a value if the key does not exist. Same as `add`.

        Args:
            key: Key of the entry.
            val: The value.
            cache_name: Name of the cache. Default: the default cache.
            exp: Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a
                new one has none.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "putifabs",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "exp": exp,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def qrycls(self, qry_id: int) -> bool:
        """Closes a query cursor and cancels its statement if it is still running.

        Args:
            qry_id: Id of the cursor: the `queryId` of the first page.
        """
        response: bool = await self.call(
            "qrycls",
            {
                "qryId": qry_id,
            },
        )
        return response

    async def qryexe(
        self,
        type: str,
        qry: str,
        *,
        page_size: Optional[int] = None,
        cache_name: Optional[str] = None,
        args: Optional[Sequence[Optional[JsonInput]]] = None,
        timeout: Optional[int] = None,
        distributed_joins: Optional[bool] = None,
        keep_binary: Optional[bool] = None,
    ) -> QryexeResult:
        """Returns the entries whose values have a type and meet a condition.

        Args:
            type: Type name of the values.
            qry: A condition, or SQL that begins with `where`, `order by`, `from` or `select *`.
            page_size: Maximum number of rows per page; 0 returns only the columns. Default of the client:
                1,000.
            cache_name: Name of the cache. Default: the default cache.
            args: Arguments of the statement, numbered from 1. `arg1Type` ... name their types (default:
                string).
            timeout: Time limit of the statement in milliseconds (default: the option `query.timeout`).
            distributed_joins: Allow joins across nodes (cluster engine). Default: false.
            keep_binary: Accepted for Ignite clients; has no effect. Values of unknown classes are always
                returned as JSON. Default: false.
        """
        response: QryexeResult = await self.call(
            "qryexe",
            {
                "pageSize": page_size,
                "cacheName": cache_name,
                "type": type,
                "qry": qry,
                "args": args,
                "timeout": timeout,
                "distributedJoins": distributed_joins,
                "keepBinary": keep_binary,
            },
        )
        return response

    async def qryfetch(self, qry_id: int, *, page_size: Optional[int] = None) -> QryfetchResult:
        """Returns the next page of a query.

        Args:
            qry_id: Id of the cursor: the `queryId` of the first page.
            page_size: Maximum number of rows per page; 0 returns only the columns. Default of the client:
                1,000.
        """
        response: QryfetchResult = await self.call(
            "qryfetch",
            {
                "pageSize": page_size,
                "qryId": qry_id,
            },
        )
        return response

    async def qryfldexe(
        self,
        qry: str,
        *,
        page_size: Optional[int] = None,
        cache_name: Optional[str] = None,
        args: Optional[Sequence[Optional[JsonInput]]] = None,
        timeout: Optional[int] = None,
        max_rows: Optional[int] = None,
        statistics: Optional[bool] = None,
        distributed_joins: Optional[bool] = None,
        keep_binary: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> QryfldexeResult:
        """Executes an SQL statement and returns the first page of rows.

        Args:
            qry: The SQL statement.
            page_size: Maximum number of rows per page; 0 returns only the columns. Default of the client:
                1,000.
            cache_name: Name of the cache. Default: the default cache.
            args: Arguments of the statement, numbered from 1. `arg1Type` ... name their types (default:
                string).
            timeout: Time limit of the statement in milliseconds (default: the option `query.timeout`).
            max_rows: Maximum number of rows to return.
            statistics: Also return the number of rows of the page (`rowCount`) and the elapsed time
                (`timeMs`). Default: false.
            distributed_joins: Allow joins across nodes (cluster engine). Default: false.
            keep_binary: Accepted for Ignite clients; has no effect. Values of unknown classes are always
                returned as JSON. Default: false.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: QryfldexeResult = await self.call(
            "qryfldexe",
            {
                "pageSize": page_size,
                "cacheName": cache_name,
                "qry": qry,
                "args": args,
                "timeout": timeout,
                "maxRows": max_rows,
                "statistics": statistics,
                "distributedJoins": distributed_joins,
                "keepBinary": keep_binary,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def qrykill(self, qry_id: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Ends a running statement, scan or cursor. Only administrators may end those of other users.

        Args:
            qry_id: Id of the query: the `queryId` of its first page, or the `QUERY_ID` of
                `SYS.RUNNING_STATEMENTS`.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "qrykill",
            {
                "qryId": qry_id,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def qryscanexe(
        self,
        *,
        page_size: Optional[int] = None,
        cache_name: Optional[str] = None,
        class_name: Optional[str] = None,
        timeout: Optional[int] = None,
    ) -> QryscanexeResult:
        """Returns all entries of a cache, or those that a configured predicate accepts.

        Args:
            page_size: Maximum number of rows per page; 0 returns only the columns. Default of the client:
                1,000.
            cache_name: Name of the cache. Default: the default cache.
            class_name: Class name of a configured scan predicate.
            timeout: Time limit of the scan in milliseconds (default: the option `query.timeout`).
        """
        response: QryscanexeResult = await self.call(
            "qryscanexe",
            {
                "pageSize": page_size,
                "cacheName": cache_name,
                "className": class_name,
                "timeout": timeout,
            },
        )
        return response

    async def removeuser(self, user: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Removes a user and ends the user's sessions.

        Args:
            user: User name; case-sensitive.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "removeuser",
            {
                "user": user,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def rep(
        self,
        key: JsonInput,
        val: JsonInput,
        *,
        cache_name: Optional[str] = None,
        exp: Optional[int] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Replaces the value of an existing key.

        Args:
            key: Key of the entry.
            val: The value.
            cache_name: Name of the cache. Default: the default cache.
            exp: Time to live in milliseconds. If absent, 0 or negative, an entry keeps its deadline, and a
                new one has none.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "rep",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "exp": exp,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def repval(
        self,
        key: JsonInput,
        val: JsonInput,
        val2: JsonInput,
        *,
        cache_name: Optional[str] = None,
        etag: Optional[str] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Replaces a value if the current value equals the expected one.

        Args:
            key: Key of the entry.
            val: The value.
            val2: The expected current value.
            cache_name: Name of the cache. Default: the default cache.
            etag: Entity tag of the expected current value, in place of `val2`: the ETag that GET of the
                entry's resource returned, or a list of tags. Not allowed in an atomic batch.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "repval",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "val2": val2,
                "etag": etag,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def res(self, id: str) -> ResResult:
        """Returns the result of a task that was started with async=true.

        Args:
            id: Id of the task, as returned by `exe`.
        """
        response: ResResult = await self.call(
            "res",
            {
                "id": id,
            },
        )
        return response

    async def rmv(
        self,
        key: JsonInput,
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Removes an entry.

        Args:
            key: Key of the entry.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "rmv",
            {
                "cacheName": cache_name,
                "key": key,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def rmvall(
        self,
        keys: Sequence[JsonInput],
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Removes several entries.

        Args:
            keys: Keys, numbered from 1 without gaps.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "rmvall",
            {
                "cacheName": cache_name,
                "keys": keys,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def rmvval(
        self,
        key: JsonInput,
        *,
        cache_name: Optional[str] = None,
        val: Optional[JsonInput] = None,
        etag: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        value_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Removes an entry if its value equals the given value.

        Args:
            key: Key of the entry.
            cache_name: Name of the cache. Default: the default cache.
            val: The value.
            etag: Entity tag of the expected current value, in place of `val`: the ETag that GET of the
                entry's resource returned, or a list of tags. Not allowed in an atomic batch.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            value_type: Name of the type of values. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "rmvval",
            {
                "cacheName": cache_name,
                "key": key,
                "val": val,
                "etag": etag,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
                "valueType": value_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def roleadd(self, name: str, rights: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Stores a new role. One of your own roles must include all of its rights.

        Args:
            name: Name of the role; case-sensitive.
            rights: Rights of the role: a JSON object like a role in the configuration, with `commands`,
                `caches`, `tables`, `counters`, `tasks` and `administration`, as an object or its text. If
                `commands` is absent, all commands are allowed; any other absent member grants nothing.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "roleadd",
            {
                "name": name,
                "rights": rights,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def roleassign(
        self,
        user: str,
        roles: Union[str, Sequence[str]],
        *,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Replaces the roles of a user. All sessions of the user are affected immediately.

        Args:
            user: User name; case-sensitive.
            roles: Comma-separated role names. If empty, the user has no rights.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "roleassign",
            {
                "user": user,
                "roles": roles,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def rolelist(self) -> List[RolelistResult]:
        """Lists all roles, or only your own if you may not manage users."""
        response: List[RolelistResult] = await self.call("rolelist", {})
        return response

    async def rolermv(self, name: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Removes a stored role that no user has.

        Args:
            name: Name of the role; case-sensitive.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "rolermv",
            {
                "name": name,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def roleupdate(self, name: str, rights: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Replaces the rights of a stored role. All sessions are affected immediately.

        Args:
            name: Name of the role; case-sensitive.
            rights: Rights of the role: a JSON object like a role in the configuration, with `commands`,
                `caches`, `tables`, `counters`, `tasks` and `administration`, as an object or its text. If
                `commands` is absent, all commands are allowed; any other absent member grants nothing.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "roleupdate",
            {
                "name": name,
                "rights": rights,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def savedqueryadd(
        self,
        name: str,
        qry: str,
        *,
        cache_name: Optional[str] = None,
        parameters: Optional[str] = None,
        shared: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> SavedqueryaddResult:
        """Saves a query under a name, for yourself or for all users.

        Args:
            name: Name of the query, unique among the user's queries.
            qry: Text of the query: one or more SQL statements. It is not checked.
            cache_name: Cache whose schema is the default of the statement; empty: `PUBLIC`.
            parameters: Fields of a form: a JSON array with an object for each placeholder. `name` is its
                name, or `?1` for the first `?`; `label`, `type` (default: string) and `default` (a string)
                are optional.
            shared: All users may read it. To execute it, they need the rights themselves. Default: false.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: SavedqueryaddResult = await self.call(
            "savedqueryadd",
            {
                "name": name,
                "qry": qry,
                "cacheName": cache_name,
                "parameters": parameters,
                "shared": shared,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def savedqueryget(self, id: str) -> SavedquerygetResult:
        """Returns one of your saved queries, or a shared one, with its text and parameters.

        Args:
            id: Id of the saved query.
        """
        response: SavedquerygetResult = await self.call(
            "savedqueryget",
            {
                "id": id,
            },
        )
        return response

    async def savedquerylist(self, *, user: Optional[str] = None) -> List[SavedquerylistResult]:
        """Lists your saved queries and those shared by others.

        Args:
            user: List only the queries of this user, for administrators including those that are not shared.
        """
        response: List[SavedquerylistResult] = await self.call(
            "savedquerylist",
            {
                "user": user,
            },
        )
        return response

    async def savedqueryrmv(self, id: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Removes a saved query. Only its owner and administrators may remove it.

        Args:
            id: Id of the saved query.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "savedqueryrmv",
            {
                "id": id,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def savedqueryupdate(
        self,
        id: str,
        *,
        name: Optional[str] = None,
        qry: Optional[str] = None,
        cache_name: Optional[str] = None,
        parameters: Optional[str] = None,
        shared: Optional[bool] = None,
        revision: Optional[int] = None,
        idempotency_key: Optional[str] = None,
    ) -> SavedqueryupdateResult:
        """Changes parts of a saved query. Only its owner and administrators may change it.

        Args:
            id: Id of the saved query.
            name: New name, unique among the owner's queries.
            qry: New text of the query.
            cache_name: Cache whose schema is the default of the statement; empty: `PUBLIC`.
            parameters: Fields of a form: a JSON array with an object for each placeholder. `name` is its
                name, or `?1` for the first `?`; `label`, `type` (default: string) and `default` (a string)
                are optional.
            shared: Whether all users may read it. Default: as before.
            revision: Change the query only if it has this revision. Default: any.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: SavedqueryupdateResult = await self.call(
            "savedqueryupdate",
            {
                "id": id,
                "name": name,
                "qry": qry,
                "cacheName": cache_name,
                "parameters": parameters,
                "shared": shared,
                "revision": revision,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def sessionlist(
        self,
        *,
        user: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> List[SessionlistResult]:
        """Lists sessions without their tokens: your own, or all if you may manage users.

        Args:
            user: List only the sessions of this user.
            limit: Maximum number of sessions. Default: 1000.
        """
        response: List[SessionlistResult] = await self.call(
            "sessionlist",
            {
                "user": user,
                "limit": limit,
            },
        )
        return response

    async def sessionrmv(
        self,
        *,
        id: Optional[str] = None,
        user: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> int:
        """Ends a session, or all sessions of a user, immediately.

        Args:
            id: Id of the session, from `sessionlist`.
            user: User whose sessions to end, in place of `id`.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: int = await self.call(
            "sessionrmv",
            {
                "id": id,
                "user": user,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def setstate(
        self,
        state: Literal["ACTIVE", "ACTIVE_READ_ONLY", "INACTIVE"],
        *,
        force: Optional[bool] = None,
        idempotency_key: Optional[str] = None,
    ) -> str:
        """Sets the state of the cluster.

        Args:
            state: The new state.
            force: Deactivate even if that drops entries of non-persistent caches. Default: false.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: str = await self.call(
            "setstate",
            {
                "state": state,
                "force": force,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def size(
        self,
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
    ) -> int:
        """Returns the number of entries of a cache.

        Args:
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
        """
        response: int = await self.call(
            "size",
            {
                "cacheName": cache_name,
                "destId": dest_id,
                "cacheFlags": cache_flags,
            },
        )
        return response

    async def state(self) -> str:
        """Returns the state of the cluster."""
        response: str = await self.call("state", {})
        return response

    async def taskkill(self, id: str, *, idempotency_key: Optional[str] = None) -> bool:
        """Ends a running task of this service. Only administrators may end those of other users.

        Args:
            id: Id of the task, from `tasklist` or from `exe` with async=true.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "taskkill",
            {
                "id": id,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def tasklist(self) -> List[TasklistResult]:
        """Lists the running tasks of this service: your own, or all if you may manage users."""
        response: List[TasklistResult] = await self.call("tasklist", {})
        return response

    async def top(
        self,
        *,
        id: Optional[str] = None,
        ip: Optional[str] = None,
        attr: Optional[bool] = None,
        mtr: Optional[bool] = None,
        caches: Optional[bool] = None,
    ) -> List[TopResult]:
        """Describes all nodes, oldest first.

        Args:
            id: Id of the node.
            ip: An IP address of the node.
            attr: Include the attributes. Default: false.
            mtr: Include the metrics. Default: false.
            caches: Include the caches. Default: true.
        """
        response: List[TopResult] = await self.call(
            "top",
            {
                "id": id,
                "ip": ip,
                "attr": attr,
                "mtr": mtr,
                "caches": caches,
            },
        )
        return response

    async def ttl(
        self,
        key: JsonInput,
        *,
        cache_name: Optional[str] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
    ) -> Optional[int]:
        """Returns the remaining time to live of an entry.

        Args:
            key: Key of the entry.
            cache_name: Name of the cache. Default: the default cache.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
        """
        response: Optional[int] = await self.call(
            "ttl",
            {
                "cacheName": cache_name,
                "key": key,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
        )
        return response

    async def updatettl(
        self,
        key: JsonInput,
        *,
        cache_name: Optional[str] = None,
        exp: Optional[int] = None,
        ttl_ms: Optional[int] = None,
        dest_id: Optional[str] = None,
        cache_flags: Optional[int] = None,
        key_type: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Sets or removes the time to live of an entry.

        Args:
            key: Key of the entry.
            cache_name: Name of the cache. Default: the default cache.
            exp: Time to live in milliseconds, from now. 0 removes the deadline; a negative value expires the
                entry immediately. Required without `ttlMs`.
            ttl_ms: Time to live in milliseconds, from now; 0 means none. Cannot be combined with `exp`.
            dest_id: Id of the node to run the command on; ignored if it is not an id.
            cache_flags: Bit mask, accepted for Ignite clients; has no effect. Default: 2.
            key_type: Name of the type of keys. Default: string.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "updatettl",
            {
                "cacheName": cache_name,
                "key": key,
                "exp": exp,
                "ttlMs": ttl_ms,
                "destId": dest_id,
                "cacheFlags": cache_flags,
                "keyType": key_type,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def updateuser(
        self,
        user: str,
        password: str,
        *,
        old_password: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> bool:
        """Changes the password of a user. Users may change their own, with the old one.

        Args:
            user: User name; case-sensitive.
            password: Password of the user.
            old_password: Your current password, required to change it unless the request itself logs in with
                name and password.
            idempotency_key: Has the command executed once, however often it is sent with this key.
        """
        response: bool = await self.call(
            "updateuser",
            {
                "user": user,
                "password": password,
                "oldPassword": old_password,
            },
            idempotency_key=idempotency_key,
        )
        return response

    async def userlist(self) -> List[UserlistResult]:
        """Lists the users with their roles, or only yourself if you may not manage users."""
        response: List[UserlistResult] = await self.call("userlist", {})
        return response

    async def version(self) -> str:
        """Returns the version of the server."""
        response: str = await self.call("version", {})
        return response
