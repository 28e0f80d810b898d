"""What names of metrics say: exporters' own, and words inside other words."""

from __future__ import annotations

import pytest

from pipeline.inputs.traces.rates.metric_names import REFUSED, Kind, meaning, words_of

pytestmark = pytest.mark.unit

NAMES = {
    Kind.OFFSETS: (
        "kafka_topic_partition_current_offset kafka_log_log_logendoffset kafka_broker_offset "
        "kafka_log_Log_LogEndOffset_Value kafka_partition_latest_offset redpanda_kafka_max_offset "
        "kafka_burrow_topic_partition_offset kminion_kafka_topic_partition_high_water_mark "
        "corporate_kafka_topic_partition_current_offset separate_topic_offset "
        "migrated_kafka_partition_latest_offset startup_kafka_log_log_logendoffset "
        "topic:kafka_topic_partition_current_offset:max kafka_partition_current_offset "
        "kafka_lag_exporter_kafka_partition_latest_offset kafka.log.Log.LogEndOffset "
        "lagoon_kafka_topic_partition_current_offset vectorized_cluster_partition_high_watermark "
        "first_party_kafka_topic_partition_current_offset kafka_log_log_end_offset_bytes_team "
        "consumer_team_kafka_topic_partition_current_offset "
        "queue_kafka_topic_partition_current_offset delta_kafka_topic_partition_current_offset"
    ),
    Kind.COUNTS: (
        "topic_messages_total kafka_flagged_messages_total "
        "kafka_server_brokertopicmetrics_bytesin_total "
        "kafka_server_brokertopicmetrics_messagesinpersec_count stream_processed_total "
        "pending_orders_messages_total"
    ),
    Kind.RATES: (
        "order_queue_messages:rate5m backlog_team_messages_in_per_sec "
        "kafka_messages_in_oneminuterate topic:messages:rate5m operator_rate "
        "topic:kafka_topic_partition_current_offset:rate5m kafka_producer_topic_byte_rate "
        "kafka_server_brokertopicmetrics_messagesinpersec_oneminuterate bytes_per_second "
        "aws_kafka_messages_in_per_sec_average kafka_server_BrokerTopicMetrics_OneMinuteRate"
    ),
    Kind.START: (
        "kafka_topic_partition_oldest_offset kafka_partition_earliest_offset kafka_minimum_offset "
        "kminion_kafka_topic_partition_low_water_mark kafka_log_log_logstartoffset "
        "vectorized_cluster_partition_start_offset kafka_partition_oldest_offset "
        "kafka_log_Log_LogStartOffset_Value partition_offset_earliest "
        "topic:kafka_topic_partition_oldest_offset:rate5m"
    ),
    Kind.READ: (
        "kafka_consumergroup_current_offset kafka_consumergroup_group_offset kafka_consumer_offset "
        "kafka_consumergroup_current_offset_sum kafka_consumer_group_offset_sum "
        "redpanda_kafka_consumer_group_committed_offset kafka_burrow_partition_current_offset "
        "kminion_kafka_consumer_group_topic_offset_sum "
        "job:kafka_consumergroup_current_offset:rate5m "
        "kafka_consumer_fetch_manager_records_consumed_rate "
        "kafka_server_brokertopicmetrics_bytesout_total kafka_consumer_processed_total"
    ),
    Kind.LAG: (
        "kafka_consumergroup_lag aws_kafka_SumOffsetLag aws_kafka_MaxOffsetLag kafkaConsumerLag "
        "aws_kafka_EstimatedMaxTimeLag kafka_server_fetcherlagmetrics_consumerlag "
        "kafka_consumer_fetch_manager_metrics_records_lag_max kafka_burrow_total_lag "
        "confluent_kafka_server_consumer_lag_offsets kafka_consumergroup_group_lag_seconds "
        "corporate_sumoffsetlag kafka_backlog pulsar_msg_backlog pulsar_subscription_back_log "
        "kafka_messages_behind "
        "kafka_messages_remaining queue_depth kafka_unconsumed_messages pending_messages "
        "rabbitmq_queue_messages_ready messages_outstanding"
    ),
    Kind.SIZE: (
        "kafka_log_log_size kafka_log_Log_Size_Value kafka_log_dir_size_total_bytes "
        "confluent_kafka_server_retained_bytes kminion_kafka_topic_log_dir_size_total_bytes"
    ),
    Kind.SCALED: (
        "messages_in_per_min topic:messages:increase1m confluent_kafka_server_received_bytes "
        "kafka_log_logendoffset_delta kafka_partition_offset_growth messages_idelta "
        "messages_per_hour topic_in_mbps kilobytes_in_per_sec network_bits_per_second"
    ),
    Kind.OTHER: (
        "kafka_topic_partition_leader kafka_topic_max_timestamp kafka_topic_partition_replicas "
        "kafka_network_requestmetrics_totaltimems kafka_topic_partition_in_sync_replica "
        "records_lead_min kafka_burrow_partition_status kafka_topic_partitions "
        "kafka_topic_partition_under_replicated_partition "
        "kafka_topic_retention_bytes kafka_rebalance_total"
    ),
    Kind.UNKNOWN: "messages_in corporate_messages_in exchange_rate_kafka_topic_offset x",
}


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for kind, names in NAMES.items() for name in names.split()]
)
def test_the_kind_of_a_metric(name: str, kind: Kind) -> None:
    assert meaning(name).kind is kind


def test_every_kind_is_known() -> None:
    assert set(NAMES) == set(Kind)
    assert set(REFUSED) < set(Kind)


@pytest.mark.parametrize("word", ["corporate", "separate", "flagged", "migrated", "sizeable"])
def test_words_that_contain_others_stay_whole(word: str) -> None:
    assert words_of(f"kafka_{word}_total") == ("kafka", word, "total")


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("kafka_topic_partition_current_offset", "messages/s"),
        ("topic:messages_in:rate5m", "messages/s"),
        ("topic:bytes_in:rate5m", "bytes/s"),
        ("kafka_server_brokertopicmetrics_bytesin_total", "bytes/s"),
        ("operator_rate", "per second"),
    ],
)
def test_the_unit_of_a_metric(name: str, unit: str) -> None:
    assert meaning(name).unit == unit


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("", Kind.READ),
        ("kafka_partition_current_offset", Kind.READ),
        ("kafka_topic_partition_current_offset", Kind.OFFSETS),
        ("kafka_log_log_logendoffset", Kind.OFFSETS),
        ("topic:messages:rate5m", Kind.RATES),
    ],
)
def test_a_label_can_say_that_a_consumer_group_is_meant(name: str, kind: Kind) -> None:
    assert meaning(name, has_group=True).kind is kind


def test_a_long_name_takes_no_time() -> None:
    assert words_of("a" * 100_000) == ("a" * 100_000,)
