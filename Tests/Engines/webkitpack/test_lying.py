"""A daemon that answers nonsense."""

import lying
from pack import PackDriver


class Lying(lying.Lying):
    driver_type = PackDriver
