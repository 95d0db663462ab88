; A household of our own, in the form of ALFWorld's problems.
(define (problem kitchen_mug)
(:domain alfred)
(:objects
  agent1 - agent
  Mug_bar_1 Apple_bar_1 Plate_bar_1 - object
  Fridge_bar_1 Microwave_bar_1 CounterTop_bar_1 CounterTop_bar_2 SinkBasin_bar_1 StoveBurner_bar_1 Cabinet_bar_1 Cabinet_bar_2 Cabinet_bar_3 Drawer_bar_1 Drawer_bar_2 DiningTable_bar_1 GarbageCan_bar_1 - receptacle
  loc_bar_0 loc_bar_1 loc_bar_2 loc_bar_3 loc_bar_4 loc_bar_5 loc_bar_6 loc_bar_7 loc_bar_8 loc_bar_9 loc_bar_10 loc_bar_11 loc_bar_12 loc_bar_13 - location
  AppleType MugType PlateType - otype
  CabinetType CounterTopType DiningTableType DrawerType FridgeType GarbageCanType MicrowaveType SinkBasinType StoveBurnerType - rtype
)
(:init
  (= (total-cost) 0)
  (atLocation agent1 loc_bar_0)
  (receptacleType Fridge_bar_1 FridgeType) (receptacleAtLocation Fridge_bar_1 loc_bar_1) (openable Fridge_bar_1)
  (receptacleType Microwave_bar_1 MicrowaveType) (receptacleAtLocation Microwave_bar_1 loc_bar_2) (openable Microwave_bar_1)
  (receptacleType CounterTop_bar_1 CounterTopType) (receptacleAtLocation CounterTop_bar_1 loc_bar_3)
  (receptacleType CounterTop_bar_2 CounterTopType) (receptacleAtLocation CounterTop_bar_2 loc_bar_4)
  (receptacleType SinkBasin_bar_1 SinkBasinType) (receptacleAtLocation SinkBasin_bar_1 loc_bar_5)
  (receptacleType StoveBurner_bar_1 StoveBurnerType) (receptacleAtLocation StoveBurner_bar_1 loc_bar_6)
  (receptacleType Cabinet_bar_1 CabinetType) (receptacleAtLocation Cabinet_bar_1 loc_bar_7) (openable Cabinet_bar_1)
  (receptacleType Cabinet_bar_2 CabinetType) (receptacleAtLocation Cabinet_bar_2 loc_bar_8) (openable Cabinet_bar_2)
  (receptacleType Cabinet_bar_3 CabinetType) (receptacleAtLocation Cabinet_bar_3 loc_bar_9) (openable Cabinet_bar_3)
  (receptacleType Drawer_bar_1 DrawerType) (receptacleAtLocation Drawer_bar_1 loc_bar_10) (openable Drawer_bar_1)
  (receptacleType Drawer_bar_2 DrawerType) (receptacleAtLocation Drawer_bar_2 loc_bar_11) (openable Drawer_bar_2)
  (receptacleType DiningTable_bar_1 DiningTableType) (receptacleAtLocation DiningTable_bar_1 loc_bar_12)
  (receptacleType GarbageCan_bar_1 GarbageCanType) (receptacleAtLocation GarbageCan_bar_1 loc_bar_13)
  (objectType Mug_bar_1 MugType) (pickupable Mug_bar_1) (cleanable Mug_bar_1) (coolable Mug_bar_1) (heatable Mug_bar_1) (inReceptacle Mug_bar_1 CounterTop_bar_2) (objectAtLocation Mug_bar_1 loc_bar_4)
  (objectType Apple_bar_1 AppleType) (pickupable Apple_bar_1) (cleanable Apple_bar_1) (coolable Apple_bar_1) (heatable Apple_bar_1) (inReceptacle Apple_bar_1 Fridge_bar_1) (objectAtLocation Apple_bar_1 loc_bar_1)
  (objectType Plate_bar_1 PlateType) (pickupable Plate_bar_1) (cleanable Plate_bar_1) (coolable Plate_bar_1) (inReceptacle Plate_bar_1 Cabinet_bar_1) (objectAtLocation Plate_bar_1 loc_bar_7)
  (canContain CabinetType AppleType) (canContain CabinetType MugType) (canContain CabinetType PlateType)
  (canContain CounterTopType AppleType) (canContain CounterTopType MugType) (canContain CounterTopType PlateType)
  (canContain DiningTableType AppleType) (canContain DiningTableType MugType) (canContain DiningTableType PlateType)
  (canContain DrawerType AppleType) (canContain DrawerType MugType) (canContain DrawerType PlateType)
  (canContain FridgeType AppleType) (canContain FridgeType MugType) (canContain FridgeType PlateType)
  (canContain GarbageCanType AppleType) (canContain GarbageCanType MugType) (canContain GarbageCanType PlateType)
  (canContain MicrowaveType AppleType) (canContain MicrowaveType MugType) (canContain MicrowaveType PlateType)
  (canContain SinkBasinType AppleType) (canContain SinkBasinType MugType) (canContain SinkBasinType PlateType)
  (canContain StoveBurnerType AppleType) (canContain StoveBurnerType MugType) (canContain StoveBurnerType PlateType)
)
(:goal (and
  (exists (?r - receptacle)
    (exists (?o - object)
      (and (objectType ?o MugType) (receptacleType ?r StoveBurnerType)
           (inReceptacle ?o ?r))))
))
)
